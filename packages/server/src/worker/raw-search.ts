import { bytesOf, type Bucket, type StoredObject } from '../bucket/bucket.ts'
import {
  metadataKey,
  metadataPrefix,
  parseRawKey,
  RAW_PREFIX,
  rawKey,
  type StoredMessage,
} from '../domain/object-keys.ts'
import { isUuid, uuidTime } from '../domain/uuid.ts'
import type { Log } from '../log.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import { isThere } from './announce-stored.ts'
import type { Announcer } from './announcer.ts'
import { announcementOf, encodeMetadata, restoredMetadata } from './metadata.ts'

/** One page of S3 and R2. */
const KEYS_PER_STEP = 1_000
/** Each takes about nine requests with its announcement, and a mail in memory. */
const RESTORES_PER_STEP = 20
/**
 * Mail has its raw object before its metadata. Senders wait ten minutes for the answer (RFC 5321 4.5.3.2.6), and
 * clocks of several workers may differ: what is older is no longer on its way into the bucket.
 */
export const RECEIVING_MS_MAX = 15 * 60_000
/** After a search to the end, until the next one begins. */
export const SEARCH_REST_MS = 60 * 60_000

const PLACE_KEY = 'sweep/raw-place'
/** Of the 1,000 requests that Cloudflare allows a run, most are the sweep's: 15 for lists, 180 for what is restored. */
const STEPS_PER_RUN = 5

export type RawSearchPorts = {
  bucket: Pick<Bucket, 'get' | 'list' | 'put'>
  parse: (raw: StoredObject) => Promise<ParsedMail>
  announcer: Pick<Announcer, 'offer'>
  rootDomain: string
  /** Mail that was received later may still be on its way into the bucket. */
  settledBefore: () => number
  log: Pick<Log, 'warn' | 'error'>
}

/** `next` is where the next step goes on; null at the end. */
export type RawSearchStep = { next: string | null; tried: number }

/**
 * Looks through a page of raw mail for such that has no metadata in either state, writes it anew from what key and bytes
 * say, and offers it to be announced. Places are `<domain>/<mailbox>/<id>`, which all keys of a mail have in common, so
 * that three lists in one order tell what is missing.
 */
export async function searchRawMail(ports: RawSearchPorts, after: string | null): Promise<RawSearchStep> {
  const { bucket, settledBefore, log } = ports
  const settled = settledBefore()
  // In this order: what is stored or processed meanwhile is found twice, not missed.
  const raw = await listPlaces(bucket, RAW_PREFIX, after)
  const unprocessed = await listPlaces(bucket, metadataPrefix('unprocessed'), after)
  const processed = await listPlaces(bucket, metadataPrefix('processed'), after)
  // As far as all three lists reach.
  const ends = [raw, unprocessed, processed].flatMap(({ end }) => (end === null ? [] : [end]))
  const end = ends.length === 0 ? null : ends.reduce((least, other) => (other < least ? other : least))
  const withMetadata = new Set([...unprocessed.places, ...processed.places])
  let tried = 0
  for (const place of raw.places) {
    if (end !== null && place > end) break
    const message = withMetadata.has(place) ? null : parseRawKey(`${RAW_PREFIX}${place}.eml`)
    // People keep other files in folders, too.
    if (!message || !isUuid(message.id) || !(uuidTime(message.id) < settled)) continue
    if (tried++ === RESTORES_PER_STEP) return { next: place, tried: RESTORES_PER_STEP }
    await restore(ports, message).catch((error: unknown) =>
      log.error({ err: error, id: message.id }, 'raw mail without metadata could not be announced; trying again later'),
    )
  }
  return { next: end, tried }
}

async function restore({ bucket, parse, announcer, rootDomain, log }: RawSearchPorts, message: StoredMessage) {
  const [unprocessedKey, processedKey] = [metadataKey('unprocessed', message), metadataKey('processed', message)]
  // The lists are as old as they are: it may have been processed or removed since.
  if ((await isThere(bucket, unprocessedKey)) || (await isThere(bucket, processedKey))) return
  const raw = await bucket.get(rawKey(message))
  if (!raw) return
  const parsed = await parse(raw)
  const metadata = restoredMetadata({ message, parsed, rawSize: raw.size, rootDomain })
  await bucket.put([{ key: unprocessedKey, body: encodeMetadata(metadata) }])
  log.warn({ id: message.id }, 'raw mail without metadata was found and is announced')
  announcer.offer(metadata, announcementOf(metadata, parsed))
}

async function listPlaces(bucket: Pick<Bucket, 'list'>, prefix: string, after: string | null) {
  const cursor = after === null ? undefined : `${prefix}${after}`
  const page = await bucket.list({ prefix, cursor, limit: KEYS_PER_STEP })
  const places = page.keys.map((key) => placeOf(key, prefix))
  return { places, end: page.cursor === null ? null : placeOf(page.cursor, prefix) }
}

/** Without its ending, a key comes before itself: the next list begins with it once more, and misses none. */
function placeOf(key: string, prefix: string): string {
  return key.slice(prefix.length).replace(/\.(?:eml|json)$/, '')
}

/** For where nothing runs between two steps: some steps at most, from the place that the bucket keeps. */
export async function searchFromKeptPlace(ports: RawSearchPorts, now: () => number): Promise<void> {
  const kept = await ports.bucket.get(PLACE_KEY)
  const place: KeptPlace = kept ? decodePlace(await bytesOf(kept)) : { after: null, restingUntil: 0 }
  if (now() < place.restingUntil) return
  let next: string | null = place.after
  let tried = 0
  for (let steps = 0; steps < STEPS_PER_RUN && tried < RESTORES_PER_STEP; steps++) {
    const step = await searchRawMail(ports, next)
    next = step.next
    tried += step.tried
    if (next === null) break
  }
  const reached: KeptPlace = { after: next, restingUntil: next === null ? now() + SEARCH_REST_MS : 0 }
  await ports.bucket.put([{ key: PLACE_KEY, body: new TextEncoder().encode(JSON.stringify(reached)) }])
}

type KeptPlace = { after: string | null; restingUntil: number }

function decodePlace(bytes: Uint8Array): KeptPlace {
  // Only this file writes it.
  return JSON.parse(new TextDecoder().decode(bytes)) as KeptPlace
}
