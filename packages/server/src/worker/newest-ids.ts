import type { Bucket } from '../bucket/bucket.ts'
import { metadataKey, metadataPrefix, parseMetadataKey, type MetadataStatus } from '../domain/object-keys.ts'
import { isUuid } from '../domain/uuid.ts'

/** The first look at the bucket shows an ordinary mailbox whole. */
const KEYS_AT_FIRST = 250
/** Where ids that begin with the time of their making end: 48 bits of milliseconds. */
const TIME_END = 2 ** 48
/** How far the clocks of two workers may be apart. */
const CLOCK_SKEW_MS = 60_000
const FIRST_WINDOW_MS = 60_000
const WIDENING = 8

export type NewestQuery = {
  status: MetadataStatus
  domain: string
  mailbox: string
  /** Only ids that come before this one in their order. */
  before: string | null
  limit: number
  now: number
}

/** From a time up to another, in milliseconds; infinite where ids are not of times. */
type Span = { from: number; to: number }

type Look = { ids: string[]; last: string; isComplete: boolean }

/**
 * The largest ids of a mailbox, largest first. They are UUIDs of version 7, so the largest are the newest. A bucket lists
 * upwards only: windows of time before the newest are looked at, each wider than the one before, and what is crowded is
 * halved. Other ids are found as well, in the order of their text, above or below the times.
 */
export async function newestIds(bucket: Pick<Bucket, 'list'>, query: NewestQuery): Promise<string[]> {
  const { status, domain, mailbox, before, limit } = query
  const prefix = metadataPrefix(status, domain, mailbox)
  const end = before === null ? `${prefix}\u{10ffff}` : metadataKey(status, { domain, mailbox, id: before })

  const whole = await look('', end, KEYS_AT_FIRST)
  if (whole.isComplete) return whole.ids.slice(-limit).reverse()
  const found: string[] = []
  for (const span of spansBefore(query)) {
    found.push(...(await newestIn(span, limit - found.length)))
    if (found.length >= limit) break
  }
  return found

  async function newestIn({ from, to }: Span, count: number): Promise<string[]> {
    const { ids, isComplete } = await look(boundary(from), endOf(to), 2 * limit)
    if (isComplete) return ids.slice(-count).reverse()
    const duration = to - from
    if (duration <= 1 || duration === Infinity) return readThrough({ from, to }, count)
    const middle = Math.floor((from + to) / 2)
    const newer = await newestIn({ from: middle, to }, count)
    if (newer.length >= count) return newer
    return [...newer, ...(await newestIn({ from, to: middle }, count - newer.length))]
  }

  /** Where times do not tell keys apart. */
  async function readThrough({ from, to }: Span, count: number): Promise<string[]> {
    let newest: string[] = []
    let page = { last: boundary(from), isComplete: false }
    while (!page.isComplete) {
      const next = await look(page.last, endOf(to), KEYS_AT_FIRST)
      newest = [...newest, ...next.ids].slice(-count)
      page = next
    }
    return newest.reverse()
  }

  /** The first keys after `start`, and whether these are all up to `end`. */
  async function look(start: string, end: string, keysMax: number): Promise<Look> {
    const { keys, cursor } = await bucket.list({ prefix, cursor: start || undefined, limit: keysMax })
    // People keep other files in folders, too.
    const ids = keys.filter((key) => key < end).flatMap((key) => parseMetadataKey(key)?.id ?? [])
    const last = keys.at(-1) ?? end
    return { ids, last, isComplete: cursor === null || last >= end }
  }

  /** The text that keys of ids made from this time on come after, and no others. */
  function boundary(time: number): string {
    if (time === -Infinity) return ''
    // No digit is so large.
    if (time >= TIME_END) return `${prefix}g`
    const hex = time.toString(16).padStart(12, '0')
    return `${prefix}${hex.slice(0, 8)}-${hex.slice(8)}`
  }

  function endOf(time: number): string {
    return time !== Infinity && boundary(time) < end ? boundary(time) : end
  }
}

/** From the newest to the oldest, next to each other, so that together they are everything. */
function* spansBefore({ before, now }: NewestQuery): Generator<Span> {
  const top = before !== null && isUuid(before) && before === before.toLowerCase() ? timeOf(before) + 1 : Infinity
  const newest = Math.min(top, now + CLOCK_SKEW_MS)
  const froms = [TIME_END, newest]
  for (let window = FIRST_WINDOW_MS; newest - window > 0; window *= WIDENING) froms.push(newest - window)
  let to = top
  for (const from of [...froms, 0, -Infinity]) {
    if (from >= to) continue
    yield { from, to }
    to = from
  }
}

function timeOf(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
}
