import type { Announcement } from '@mailhatch/sdk'
import { bytesOf, type Bucket, type StoredObject } from '../bucket/bucket.ts'
import { metadataKey } from '../domain/object-keys.ts'
import {
  countFailure,
  endsBy,
  hasEnded,
  isDeath,
  mayBeOwn,
  OWN_FAILURES_MAX,
  reasonFor,
  type FailedTry,
  type Others,
} from '../domain/set-aside.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import { announce, type Post } from './announce.ts'
import { announcementOf, decodeMetadata, encodeMetadata, type Metadata } from './metadata.ts'

/** Metadata is as the bucket has it afterwards; the failed attempt is recorded in it. */
export type StoredOutcome =
  | { outcome: 'processed'; metadata: Metadata }
  /** `unrecorded` is why the bucket does not have it, where it could not be written; a restart then knows less. */
  | { outcome: 'failed'; metadata: Metadata; unrecorded?: unknown }
  /** Removed, or announced by someone else in the meantime. */
  | { outcome: 'gone' }
  /** Metadata without its mail: there is nothing to announce. */
  | { outcome: 'raw gone'; metadata: Metadata }
  /** Another worker has begun a try, which may last until then. */
  | { outcome: 'busy'; until: number }

export type AnnouncePorts = {
  bucket: Pick<Bucket, 'get' | 'move'>
  /** May read less than the whole mail, where memory is short. */
  parse: (raw: StoredObject) => Promise<ParsedMail>
  post: Post
  tries: Tries
  now: () => number
}

/** What is known of tries beyond this one. */
export type Tries = {
  /** Names this worker, the same after a restart where no two can have the same name at once. */
  by: string
  /** When this run of it began. */
  startedAt: number
  /** Whether the last try at a mail was of a program that has ended since, perhaps because of the mail. */
  isOfEarlierRun: (metadata: Metadata) => boolean
  /** Notes a failure that may be of the mail itself, and tells what became of other mail. */
  noteFailure: (metadata: Metadata, failure: Failure) => Others | Promise<Others>
}

/** `previousAt`: the try before, or the arrival. */
export type Failure = { previousAt: number; beganAt: number; at: number; isDeath: boolean }

/**
 * Announces one mail as it lies in the bucket; `key` is that of its unprocessed metadata. By hand, failures of its own
 * are counted anew.
 */
export async function announceStored(ports: AnnouncePorts, key: string, isByHand = false): Promise<StoredOutcome> {
  const object = await ports.bucket.get(key)
  if (!object) return { outcome: 'gone' }
  const found = decodeMetadata(await bytesOf(object))
  const { trying } = found
  if (trying && !isByHand && !hasEnded(trying, { by: ports.tries.by, now: ports.now() })) {
    return { outcome: 'busy', until: endsBy(trying) }
  }
  const counted = isByHand ? { ...found, ownFailures: 0, setAside: null } : countEndedTry(ports, found)
  if (counted.setAside) {
    await rewriteMetadata(ports.bucket, key, counted)
    return { outcome: 'failed', metadata: counted }
  }
  const raw = await ports.bucket.get(found.rawKey)
  if (!raw) return { outcome: 'raw gone', metadata: counted }
  const isSuspect = found.ownFailures > 0 || trying !== null
  if (!isSuspect && !ports.tries.isOfEarlierRun(found)) return announceRaw(ports, counted, raw)
  const begun = await recordBegin(ports, key, counted)
  try {
    return await announceRaw(ports, begun, raw)
  } catch (error) {
    // The bucket could not be read or written. The program goes on, so the note of a begun try must not count as its end.
    await rewriteMetadata(ports.bucket, key, { ...begun, trying: null }).catch(() => {})
    throw error
  }
}

async function announceRaw(ports: AnnouncePorts, metadata: Metadata, raw: StoredObject): Promise<StoredOutcome> {
  return announceMail(ports, { metadata, announcement: announcementOf(metadata, await ports.parse(raw)) })
}

/** Counts the try before this one, if it left no result: then the program has ended while it worked on the mail. */
function countEndedTry({ tries, now }: AnnouncePorts, found: Metadata): Metadata {
  const { trying } = found
  // Without a result in this run, the bucket failed: the program has not ended.
  if (trying && trying.by === tries.by && Date.parse(trying.at) >= tries.startedAt) return { ...found, trying: null }
  const isWithoutResult = trying !== null || (found.lastAttemptAt === null && tries.isOfEarlierRun(found))
  // Before the first recorded try, it is only known that the mail was there.
  if (!isWithoutResult || (trying === null && found.ownFailures > 0)) return found
  const ownFailures = found.ownFailures + 1
  const counted: Metadata = { ...found, trying: null, ownFailures }
  if (ownFailures < OWN_FAILURES_MAX) return counted
  return { ...counted, setAside: setAside(now(), reasonFor('program ended')) }
}

/** So that a program that dies of this mail has left a note of it. Without room for the note it goes without. */
async function recordBegin({ bucket, tries, now }: AnnouncePorts, key: string, counted: Metadata): Promise<Metadata> {
  const begun = { ...counted, trying: { at: new Date(now()).toISOString(), by: tries.by } }
  await rewriteMetadata(bucket, key, begun).catch(() => {})
  return begun
}

/** Posts, then records in the bucket how it went. */
export async function announceMail(
  { bucket, post, tries, now }: Omit<AnnouncePorts, 'parse'>,
  { metadata, announcement }: { metadata: Metadata; announcement: Announcement },
): Promise<StoredOutcome & { outcome: 'processed' | 'failed' }> {
  const beganAt = now()
  const outcome = await announce(post, announcement)
  const key = metadataKey('unprocessed', metadata)
  if (outcome.ok) {
    const processed: Metadata = {
      ...metadata,
      status: 'processed',
      lastError: null,
      lastStatus: null,
      lastCode: null,
      trying: null,
    }
    await bucket.move(key, { key: metadataKey('processed', metadata), body: encodeMetadata(processed) })
    return { outcome: 'processed', metadata: processed }
  }
  const failed: Metadata = {
    ...metadata,
    attempts: metadata.attempts + 1,
    lastAttemptAt: new Date(now()).toISOString(),
    lastError: outcome.error,
    lastStatus: outcome.status,
    lastCode: outcome.code,
    trying: null,
    ...(await judge({ tries, now }, { metadata, beganAt, failed: outcome })),
  }
  return rewriteMetadata(bucket, key, failed).then(
    () => ({ outcome: 'failed', metadata: failed }),
    (error: unknown) => ({ outcome: 'failed', metadata: failed, unrecorded: error }),
  )
}

/** Whose fault a failure is: see domain/set-aside.ts. */
async function judge(
  { tries, now }: Pick<AnnouncePorts, 'tries' | 'now'>,
  { metadata, beganAt, failed }: { metadata: Metadata; beganAt: number; failed: FailedTry },
): Promise<Partial<Metadata>> {
  if (!mayBeOwn(failed)) return {}
  const at = now()
  const previousAt = Date.parse(metadata.lastAttemptAt ?? metadata.receivedAt)
  const others = await tries.noteFailure(metadata, { previousAt, beganAt, at, isDeath: isDeath(failed) })
  const ownFailures = countFailure(metadata.ownFailures, { others, sincePreviousMs: at - previousAt })
  if (ownFailures < OWN_FAILURES_MAX) return { ownFailures }
  return { ownFailures, setAside: setAside(at, reasonFor(failed)) }
}

function setAside(now: number, reason: string): Metadata['setAside'] {
  return { at: new Date(now).toISOString(), reason, isReported: false }
}

/** Replaces what is there. What was removed or processed in the meantime stays so. */
export async function rewriteMetadata(bucket: Pick<Bucket, 'move'>, key: string, metadata: Metadata): Promise<void> {
  await bucket.move(key, { key, body: encodeMetadata(metadata) })
}

export async function isThere(bucket: Pick<Bucket, 'get'>, key: string): Promise<boolean> {
  const object = await bucket.get(key)
  await object?.stream.cancel()
  return object !== null
}
