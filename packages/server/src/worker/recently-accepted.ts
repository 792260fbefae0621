import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { metadataKey, metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import { RECENT_MS } from '../domain/set-aside.ts'
import { uuidTime } from '../domain/uuid.ts'
import { decodeMetadata, type Metadata } from './metadata.ts'
import { newestIds } from './newest-ids.ts'

const KEYS_PER_PAGE = 1_000
/** Mails whose metadata is read, of the 1,000 requests that Cloudflare allows a run. */
const READ_MAX = 25

export type RecentlyAccepted = { wasTaken: boolean; taken: number; healed: number }

/**
 * How much recent mail the API accepted, and how much of that had a failure counted against it. For a worker without
 * memory between runs. It reads the newest mail of the mailbox, one page of the domain and one page of the bucket, and
 * ignores the rest.
 */
export async function recentlyAccepted(
  bucket: Pick<Bucket, 'get' | 'list'>,
  { mail, since, now }: { mail: Pick<Metadata, 'domain' | 'mailbox'>; since: number; now: number },
): Promise<RecentlyAccepted> {
  const { domain, mailbox } = mail
  const query = { status: 'processed' as const, domain, mailbox, before: null, limit: READ_MAX, now }
  const keys = new Set((await newestIds(bucket, query)).map((id) => metadataKey('processed', { domain, mailbox, id })))
  for (const prefix of [metadataPrefix('processed', domain), metadataPrefix('processed')]) {
    for (const key of (await bucket.list({ prefix, limit: KEYS_PER_PAGE })).keys) keys.add(key)
  }
  const newest = Array.from(keys, (key) => ({ key, at: uuidTime(parseMetadataKey(key)?.id ?? '') }))
    .filter(({ at }) => at > now - RECENT_MS)
    .toSorted((one, other) => other.at - one.at)
    .slice(0, READ_MAX)
  const objects = await Promise.all(newest.map(({ key }) => bucket.get(key)))
  const read = await Promise.all(objects.map(async (object) => object && decodeMetadata(await bytesOf(object))))
  return {
    wasTaken: newest.some(({ at }) => at > since),
    taken: newest.length,
    healed: read.filter((metadata) => metadata !== null && metadata.ownFailures > 0).length,
  }
}
