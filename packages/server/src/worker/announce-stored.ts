import type { Announcement } from '@mailhatch/sdk'
import { bytesOf, type Bucket, type StoredObject } from '../bucket/bucket.ts'
import { metadataKey } from '../domain/object-keys.ts'
import {
  countFailure,
  endsBy,
  hasEnded,
  isCrash,
  mayBeCausedByMail,
  OWN_FAILURES_MAX,
  reasonFor,
  type FailedAttempt,
  type OtherResults,
} from '../domain/set-aside.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import { announce, workerFailure, type FailedAnnouncement, type Post } from './announce.ts'
import { announcementOf, decodeMetadata, encodeMetadata, type Metadata } from './metadata.ts'

/** `metadata` is what the bucket contains afterwards, including the failed attempt. */
export type StoredOutcome =
  | { outcome: 'processed'; metadata: Metadata }
  /** `unrecorded` is the error if the bucket could not record the attempt. It is then lost at a restart. */
  | { outcome: 'failed'; metadata: Metadata; unrecorded?: unknown }
  /** Deleted, or announced by another worker in the meantime. */
  | { outcome: 'gone' }
  /** The metadata exists but the raw mail does not, so there is nothing to announce. */
  | { outcome: 'raw gone'; metadata: Metadata }
  /** Another worker has started an attempt, which may run until then. */
  | { outcome: 'busy'; until: number }

export type AnnouncePorts = {
  bucket: Pick<Bucket, 'get' | 'move'>
  /** May parse only the start of the mail where memory is limited. */
  parse: (raw: StoredObject) => Promise<ParsedMail>
  post: Post
  history: AttemptHistory
  now: () => number
}

/** What the worker knows about other attempts. */
export type AttemptHistory = {
  /** Identifies this worker: the same after a restart, where two workers can never share an id. */
  by: string
  /** When this process started. */
  startedAt: number
  /** Whether the process before may have crashed. After a clean stop, an attempt without a result was not made. */
  wasCutOff: boolean
  /** Whether the last attempt was made by an earlier process. */
  isFromEarlierRun: (metadata: Metadata) => boolean
  /** Whether this attempt has been the only one in flight from its beginning until now. */
  isAlone: (metadata: Metadata) => boolean
  /** Records a failure that the mail itself may have caused, and returns how other mail fared. */
  noteFailure: (metadata: Metadata, failure: AnnouncementFailure) => OtherResults | Promise<OtherResults>
}

/** `previousAt` is the time of the previous attempt, or the arrival. */
export type AnnouncementFailure = { previousAt: number; beganAt: number; at: number; isCrash: boolean }

/**
 * Announces one stored mail; `key` is the key of its unprocessed metadata. With `isByHand`, an operator asked for it,
 * and its own failures are counted from zero.
 */
export async function announceStored(ports: AnnouncePorts, key: string, isByHand = false): Promise<StoredOutcome> {
  const object = await ports.bucket.get(key)
  if (!object) return { outcome: 'gone' }
  const found = decodeMetadata(await bytesOf(object))
  const { trying } = found
  if (trying && !isByHand && !hasEnded(trying, { by: ports.history.by, now: ports.now() })) {
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
  if (!isSuspect && !ports.history.isFromEarlierRun(found)) return announceRaw(ports, counted, raw)
  const begun = await recordBegin(ports, key, counted)
  try {
    return await announceRaw(ports, begun, raw)
  } catch (error) {
    // The bucket failed, not the process. Clear the mark, or the next attempt counts this one as a crash.
    await rewriteMetadata(ports.bucket, key, { ...begun, trying: null }).catch(() => {})
    throw error
  }
}

async function announceRaw(ports: AnnouncePorts, metadata: Metadata, raw: StoredObject): Promise<StoredOutcome> {
  const beganAt = ports.now()
  const parsed = await ports.parse(raw)
  let announcement: Announcement
  try {
    announcement = announcementOf(metadata, parsed)
  } catch (error) {
    return recordFailure(ports, { metadata, beganAt, failure: workerFailure(error) })
  }
  return announceMail(ports, { metadata, announcement })
}

/** Counts the previous attempt as a failure if it left no result: the process ended while it handled the mail. */
function countEndedTry({ history, now }: AnnouncePorts, found: Metadata): Metadata {
  const { trying } = found
  // An attempt of this process without a result means that the bucket failed. The process is still running.
  if (trying && trying.by === history.by && Date.parse(trying.at) >= history.startedAt)
    return { ...found, trying: null }
  const isUnrecorded = history.wasCutOff && found.lastAttemptAt === null && history.isFromEarlierRun(found)
  const isWithoutResult = trying !== null || isUnrecorded
  // Before the first recorded attempt, all we know is that the mail was in the bucket when the process ended.
  if (!isWithoutResult || (trying === null && found.ownFailures > 0)) return found
  const ownFailures = found.ownFailures + 1
  const counted: Metadata = { ...found, trying: null, ownFailures }
  if (ownFailures < OWN_FAILURES_MAX) return counted
  return { ...counted, setAside: setAside(now(), reasonFor('program ended')) }
}

/** Marks the attempt as started, so that a crash leaves a trace. A failed write of the mark does not stop the attempt. */
async function recordBegin({ bucket, history, now }: AnnouncePorts, key: string, counted: Metadata): Promise<Metadata> {
  const begun = { ...counted, trying: { at: new Date(now()).toISOString(), by: history.by } }
  await rewriteMetadata(bucket, key, begun).catch(() => {})
  return begun
}

/** Posts the announcement, then records the result in the bucket. A success that is not recorded is announced again. */
export async function announceMail(
  ports: Omit<AnnouncePorts, 'parse'>,
  { metadata, announcement }: { metadata: Metadata; announcement: Announcement },
  { mayWait = false } = {},
): Promise<StoredOutcome & { outcome: 'processed' | 'failed' }> {
  const beganAt = ports.now()
  const outcome = await announce(ports.post, announcement).catch(workerFailure)
  if (!outcome.ok) return recordFailure(ports, { metadata, beganAt, failure: outcome })
  const processed: Metadata = {
    ...metadata,
    status: 'processed',
    lastError: null,
    lastStatus: null,
    lastCode: null,
    trying: null,
  }
  const key = metadataKey('unprocessed', metadata)
  await ports.bucket.move(
    key,
    { key: metadataKey('processed', metadata), body: encodeMetadata(processed) },
    { mayWait },
  )
  return { outcome: 'processed', metadata: processed }
}

async function recordFailure(
  { bucket, history, now }: Pick<AnnouncePorts, 'bucket' | 'history' | 'now'>,
  { metadata, beganAt, failure }: { metadata: Metadata; beganAt: number; failure: FailedAnnouncement },
): Promise<StoredOutcome & { outcome: 'failed' }> {
  const failed: Metadata = {
    ...metadata,
    attempts: metadata.attempts + 1,
    lastAttemptAt: new Date(now()).toISOString(),
    lastError: failure.error,
    lastStatus: failure.status,
    lastCode: failure.code,
    trying: null,
    ...(await judge({ history, now }, { metadata, beganAt, failed: failure })),
  }
  return rewriteMetadata(bucket, metadataKey('unprocessed', metadata), failed).then(
    () => ({ outcome: 'failed', metadata: failed }),
    (error: unknown) => ({ outcome: 'failed', metadata: failed, unrecorded: error }),
  )
}

/** Decides whether the mail or the API caused a failure; see domain/set-aside.ts. */
async function judge(
  { history, now }: Pick<AnnouncePorts, 'history' | 'now'>,
  { metadata, beganAt, failed }: { metadata: Metadata; beganAt: number; failed: FailedAttempt },
): Promise<Partial<Metadata>> {
  if (!mayBeCausedByMail(failed)) return {}
  const at = now()
  const previousAt = Date.parse(metadata.lastAttemptAt ?? metadata.receivedAt)
  const isOtherMailExcluded = !isCrash(failed) || history.isAlone(metadata)
  const others = await history.noteFailure(metadata, { previousAt, beganAt, at, isCrash: isCrash(failed) })
  const sincePreviousMs = at - previousAt
  const ownFailures = countFailure(metadata.ownFailures, { others, sincePreviousMs, isOtherMailExcluded })
  if (ownFailures < OWN_FAILURES_MAX) return { ownFailures }
  return { ownFailures, setAside: setAside(at, reasonFor(failed)) }
}

function setAside(now: number, reason: string): Metadata['setAside'] {
  return { at: new Date(now).toISOString(), reason, isReported: false }
}

/** Replaces existing metadata. Does nothing if it was deleted or processed in the meantime. */
export async function rewriteMetadata(bucket: Pick<Bucket, 'move'>, key: string, metadata: Metadata): Promise<void> {
  await bucket.move(key, { key, body: encodeMetadata(metadata) })
}

export async function objectExists(bucket: Pick<Bucket, 'get'>, key: string): Promise<boolean> {
  const object = await bucket.get(key)
  await object?.stream.cancel()
  return object !== null
}
