import type { Bucket } from '../bucket/bucket.ts'
import { metadataKey, metadataPrefix, parseMetadataKey, type MetadataStatus } from '../domain/object-keys.ts'
import { isUuid } from '../domain/uuid.ts'

/** The first list request covers a typical mailbox completely. */
const KEYS_AT_FIRST = 250
/** UUIDv7 begins with 48 bits of milliseconds, so no id has this time or a later one. */
const TIME_END = 2 ** 48
/** Largest clock difference between two workers. */
const CLOCK_SKEW_MS = 60_000
const FIRST_WINDOW_MS = 60_000
const WIDENING = 8

export type NewestQuery = {
  status: MetadataStatus
  domain: string
  mailbox: string
  /** Only ids that sort before this one. */
  before: string | null
  limit: number
  now: number
}

/** A range of time in milliseconds; infinite for ids that are not times. */
type TimeRange = { from: number; to: number }

type Listing = { ids: string[]; last: string; isComplete: boolean }

/**
 * The largest ids of a mailbox, largest first. Ids are UUIDv7, so the largest are the newest. A bucket lists only in
 * ascending order. So this lists time windows backwards from the newest id, each wider than the last, and halves a
 * window that has too many keys. Other ids are found too, in text order, before or after the times.
 */
export async function newestIds(bucket: Pick<Bucket, 'list'>, query: NewestQuery): Promise<string[]> {
  const { status, domain, mailbox, before, limit } = query
  const prefix = metadataPrefix(status, domain, mailbox)
  const end = before === null ? `${prefix}\u{10ffff}` : metadataKey(status, { domain, mailbox, id: before })

  const whole = await listIds('', end, KEYS_AT_FIRST)
  if (whole.isComplete) return whole.ids.slice(-limit).reverse()
  const found: string[] = []
  for (const range of rangesBefore(query)) {
    found.push(...(await newestIn(range, limit - found.length)))
    if (found.length >= limit) break
  }
  return found

  async function newestIn({ from, to }: TimeRange, count: number): Promise<string[]> {
    const { ids, isComplete } = await listIds(boundary(from), endOf(to), 2 * limit)
    if (isComplete) return ids.slice(-count).reverse()
    const duration = to - from
    if (duration <= 1 || duration === Infinity) return newestByScan({ from, to }, count)
    const middle = Math.floor((from + to) / 2)
    const newer = await newestIn({ from: middle, to }, count)
    if (newer.length >= count) return newer
    return [...newer, ...(await newestIn({ from, to: middle }, count - newer.length))]
  }

  /** Reads every key of a range that cannot be halved. */
  async function newestByScan({ from, to }: TimeRange, count: number): Promise<string[]> {
    let newest: string[] = []
    let page = { last: boundary(from), isComplete: false }
    while (!page.isComplete) {
      const next = await listIds(page.last, endOf(to), KEYS_AT_FIRST)
      newest = [...newest, ...next.ids].slice(-count)
      page = next
    }
    return newest.reverse()
  }

  /** The first ids after `start`, and whether these are all ids up to `end`. */
  async function listIds(start: string, end: string, keysMax: number): Promise<Listing> {
    const { keys, cursor } = await bucket.list({ prefix, cursor: start || undefined, limit: keysMax })
    // A bucket folder may contain unrelated files.
    const ids = keys.filter((key) => key < end).flatMap((key) => parseMetadataKey(key)?.id ?? [])
    const last = keys.at(-1) ?? end
    return { ids, last, isComplete: cursor === null || last >= end }
  }

  /** Sorts before every key of an id from this time on, and after all earlier ones. */
  function boundary(time: number): string {
    if (time === -Infinity) return ''
    // 'g' sorts after every hexadecimal digit.
    if (time >= TIME_END) return `${prefix}g`
    const hex = time.toString(16).padStart(12, '0')
    return `${prefix}${hex.slice(0, 8)}-${hex.slice(8)}`
  }

  function endOf(time: number): string {
    return time !== Infinity && boundary(time) < end ? boundary(time) : end
  }
}

/** Adjacent ranges from the newest to the oldest that cover all ids. */
function* rangesBefore({ before, now }: NewestQuery): Generator<TimeRange> {
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
