import type { Announcement } from '@mailhatch/sdk'
import { bytesOf, type Bucket, type StoredObject } from '../bucket/bucket.ts'
import { metadataKey } from '../domain/object-keys.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import { announce, type Post } from './announce.ts'
import { announcementOf, decodeMetadata, encodeMetadata, type Metadata } from './metadata.ts'

/** Metadata is as the bucket has it afterwards; the failed attempt is recorded in it. */
export type StoredOutcome =
  | { outcome: 'processed'; metadata: Metadata }
  | { outcome: 'failed'; metadata: Metadata }
  /** Removed, or announced by someone else in the meantime. */
  | { outcome: 'gone' }
  /** Metadata without its mail: there is nothing to announce. */
  | { outcome: 'raw gone'; metadata: Metadata }

export type AnnouncePorts = {
  bucket: Pick<Bucket, 'get' | 'move'>
  /** May read less than the whole mail, where memory is short. */
  parse: (raw: StoredObject) => Promise<ParsedMail>
  post: Post
  now: () => number
}

/** Announces one mail as it lies in the bucket; `key` is that of its unprocessed metadata. */
export async function announceStored(ports: AnnouncePorts, key: string): Promise<StoredOutcome> {
  const object = await ports.bucket.get(key)
  if (!object) return { outcome: 'gone' }
  const metadata = decodeMetadata(await bytesOf(object))
  const raw = await ports.bucket.get(metadata.rawKey)
  if (!raw) return { outcome: 'raw gone', metadata }
  return announceMail(ports, { metadata, announcement: announcementOf(metadata, await ports.parse(raw)) })
}

/** Posts, then records in the bucket how it went. */
export async function announceMail(
  { bucket, post, now }: Omit<AnnouncePorts, 'parse'>,
  { metadata, announcement }: { metadata: Metadata; announcement: Announcement },
): Promise<StoredOutcome & { outcome: 'processed' | 'failed' }> {
  const outcome = await announce(post, announcement)
  const key = metadataKey('unprocessed', metadata)
  if (outcome.ok) {
    const processed: Metadata = { ...metadata, status: 'processed', lastError: null, lastStatus: null }
    await bucket.move(key, { key: metadataKey('processed', metadata), body: encodeMetadata(processed) })
    return { outcome: 'processed', metadata: processed }
  }
  const failed: Metadata = {
    ...metadata,
    attempts: metadata.attempts + 1,
    lastAttemptAt: new Date(now()).toISOString(),
    lastError: outcome.error,
    lastStatus: outcome.status,
  }
  // To its own key: what was removed or processed during the post stays so.
  await bucket.move(key, { key, body: encodeMetadata(failed) })
  return { outcome: 'failed', metadata: failed }
}

export async function isThere(bucket: Pick<Bucket, 'get'>, key: string): Promise<boolean> {
  const object = await bucket.get(key)
  await object?.stream.cancel()
  return object !== null
}
