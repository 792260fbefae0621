import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { objectsIn } from '../bucket/message-objects.ts'
import { isUnrouted } from '../domain/retry.ts'
import { decodeMetadata, refusalOf, type Metadata } from './metadata.ts'

const DAY_MS = 86_400_000

/**
 * When a mail that the API has refused because no team wants it may go, counted from its last try; null for mail that
 * waits for any other reason, and where refused mail is kept.
 */
export function refusedUntil(metadata: Metadata, days: number | null): number | null {
  if (days === null || metadata.lastAttemptAt === null || metadata.setAside !== null) return null
  return isUnrouted(refusalOf(metadata)) ? Date.parse(metadata.lastAttemptAt) + days * DAY_MS : null
}

type Ports = { bucket: Pick<Bucket, 'get' | 'remove'>; days: number | null; now: () => number }

/** Removes a mail if it may go by what the bucket says now; `key` is that of its unprocessed metadata. */
export async function removeIfRefused({ bucket, days, now }: Ports, key: string): Promise<boolean> {
  const object = await bucket.get(key)
  if (!object) return false
  const metadata = decodeMetadata(await bytesOf(object))
  const until = refusedUntil(metadata, days)
  if (until === null || until > now()) return false
  await objectsIn(bucket).remove([metadata])
  return true
}
