import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { objectsIn } from '../bucket/message-objects.ts'
import { isUnrouted } from '../domain/retry.ts'
import { decodeMetadata, refusalOf, type Metadata } from './metadata.ts'

const DAY_MS = 86_400_000

/**
 * When mail that the API refused because it belongs to no team may be deleted, counted from the last attempt. Null for
 * mail that waits for another reason, and where refused mail is kept.
 */
export function refusedMailExpiry(metadata: Metadata, days: number | null): number | null {
  if (days === null || metadata.lastAttemptAt === null || metadata.setAside !== null) return null
  return isUnrouted(refusalOf(metadata)) ? Date.parse(metadata.lastAttemptAt) + days * DAY_MS : null
}

type Ports = { bucket: Pick<Bucket, 'get' | 'remove'>; days: number | null; now: () => number }

/** Deletes a refused mail if the bucket says that it has expired; `key` is the key of its unprocessed metadata. */
export async function removeIfRefused({ bucket, days, now }: Ports, key: string): Promise<boolean> {
  const object = await bucket.get(key)
  if (!object) return false
  const metadata = decodeMetadata(await bytesOf(object))
  const expiresAt = refusedMailExpiry(metadata, days)
  if (expiresAt === null || expiresAt > now()) return false
  await objectsIn(bucket).remove([metadata])
  return true
}
