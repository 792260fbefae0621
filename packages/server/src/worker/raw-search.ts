import { bytesOf, type Bucket, type StoredObject } from '../bucket/bucket.ts'
import {
  metadataKey,
  metadataPrefix,
  parseRawKey,
  RAW_PREFIX,
  rawKey,
  type MessageLocation,
} from '../domain/object-keys.ts'
import { isUuid, uuidTime } from '../domain/uuid.ts'
import type { Log } from '../observe/log.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import { objectExists } from './announce-stored.ts'
import type { Announcer } from './announcer.ts'
import { encodeMetadata, restoredMetadata } from './metadata.ts'

/** The page size of S3 and R2. */
const KEYS_PER_STEP = 1_000
/** Each takes about nine requests including its announcement, and one mail in memory. */
const RESTORES_PER_STEP = 20
/**
 * The raw object is written before the metadata. Senders wait up to ten minutes for the response (RFC 5321 4.5.3.2.6),
 * and the clocks of workers differ. An older raw object without metadata is not being received any more.
 */
export const RECEIVING_MS_MAX = 15 * 60_000
/** Pause between the end of a complete search and the next one. */
export const SEARCH_INTERVAL_MS = 60 * 60_000

const POSITION_KEY = 'sweep/raw-place'
/** Cloudflare allows 1,000 requests per run, most of which the sweep needs. This takes 15 to list and 180 to restore. */
const STEPS_PER_RUN = 5

export type RawSearchPorts = {
  bucket: Pick<Bucket, 'get' | 'list' | 'put'>
  parse: (raw: StoredObject) => Promise<ParsedMail>
  announcer: Pick<Announcer, 'offer'>
  rootDomain: string
  /** Mail received after this time may still be on its way into the bucket. */
  settledBefore: () => number
  log: Pick<Log, 'warn' | 'error'>
}

/** `next` is where the next step continues; null at the end. */
export type RawSearchStep = { next: string | null; tried: number }

/**
 * Finds raw mail on one page that has no metadata under either status, rebuilds the metadata from key and raw bytes,
 * and offers the mail to the announcer. All keys of a mail share `<domain>/<mailbox>/<id>`, so comparing three lists
 * in that order shows what is missing.
 */
export async function searchRawMail(ports: RawSearchPorts, after: string | null): Promise<RawSearchStep> {
  const { bucket, settledBefore, log } = ports
  const settled = settledBefore()
  // Raw first, processed last: a mail that changes status between the lists is found twice, not missed.
  const raw = await listNames(bucket, RAW_PREFIX, after)
  const unprocessed = await listNames(bucket, metadataPrefix('unprocessed'), after)
  const processed = await listNames(bucket, metadataPrefix('processed'), after)
  // The step ends where the shortest of the three lists ends.
  const ends = [raw, unprocessed, processed].flatMap(({ end }) => (end === null ? [] : [end]))
  const end = ends.length === 0 ? null : ends.reduce((least, other) => (other < least ? other : least))
  const withMetadata = new Set([...unprocessed.names, ...processed.names])
  let tried = 0
  for (const name of raw.names) {
    if (end !== null && name > end) break
    const message = withMetadata.has(name) ? null : parseRawKey(`${RAW_PREFIX}${name}.eml`)
    // A bucket folder may contain unrelated files.
    if (!message || !isUuid(message.id) || !(uuidTime(message.id) < settled)) continue
    if (tried++ === RESTORES_PER_STEP) return { next: name, tried: RESTORES_PER_STEP }
    await restore(ports, message).catch((error: unknown) =>
      log.error({ err: error, id: message.id }, 'restoring raw mail without metadata failed, will retry'),
    )
  }
  return { next: end, tried }
}

async function restore({ bucket, parse, announcer, rootDomain, log }: RawSearchPorts, message: MessageLocation) {
  const [unprocessedKey, processedKey] = [metadataKey('unprocessed', message), metadataKey('processed', message)]
  // The lists may be outdated: the mail may have been processed or deleted since.
  if ((await objectExists(bucket, unprocessedKey)) || (await objectExists(bucket, processedKey))) return
  const raw = await bucket.get(rawKey(message))
  if (!raw) return
  const parsed = await parse(raw)
  const metadata = restoredMetadata({ message, parsed, rawSize: raw.size, rootDomain })
  await bucket.put([{ key: unprocessedKey, body: encodeMetadata(metadata) }])
  log.warn({ id: message.id }, 'restored the metadata of raw mail')
  announcer.offer(metadata, parsed)
}

async function listNames(bucket: Pick<Bucket, 'list'>, prefix: string, after: string | null) {
  const cursor = after === null ? undefined : `${prefix}${after}`
  const page = await bucket.list({ prefix, cursor, limit: KEYS_PER_STEP })
  const names = page.keys.map((key) => nameOf(key, prefix))
  return { names, end: page.cursor === null ? null : nameOf(page.cursor, prefix) }
}

/** Without its extension, a name sorts before its key. The next list starts with that key again and misses none. */
function nameOf(key: string, prefix: string): string {
  return key.slice(prefix.length).replace(/\.(?:eml|json)$/, '')
}

/** For workers that do not run between two steps: continues from the position stored in the bucket. */
export async function searchFromStoredPosition(ports: RawSearchPorts, now: () => number): Promise<void> {
  const stored = await ports.bucket.get(POSITION_KEY)
  const position: SearchPosition = stored ? decodePosition(await bytesOf(stored)) : { after: null, restingUntil: 0 }
  if (now() < position.restingUntil) return
  let next: string | null = position.after
  let tried = 0
  for (let steps = 0; steps < STEPS_PER_RUN && tried < RESTORES_PER_STEP; steps++) {
    const step = await searchRawMail(ports, next)
    next = step.next
    tried += step.tried
    if (next === null) break
  }
  const reached: SearchPosition = { after: next, restingUntil: next === null ? now() + SEARCH_INTERVAL_MS : 0 }
  await ports.bucket.put([{ key: POSITION_KEY, body: new TextEncoder().encode(JSON.stringify(reached)) }])
}

type SearchPosition = { after: string | null; restingUntil: number }

function decodePosition(bytes: Uint8Array): SearchPosition {
  // Only this file writes it.
  return JSON.parse(new TextDecoder().decode(bytes)) as SearchPosition
}
