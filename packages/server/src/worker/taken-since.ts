import type { Bucket } from '../bucket/bucket.ts'
import { metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import { uuidTime } from '../domain/uuid.ts'

const KEYS_PER_PAGE = 1_000

/**
 * Whether mail that came after a moment has been taken by the API: for a worker that remembers nothing between its
 * runs. It looks at one page of the domain and one of all; when neither shows any, it does not know, and says no.
 */
export async function wasTakenSince(
  bucket: Pick<Bucket, 'list'>,
  { domain, since }: { domain: string; since: number },
): Promise<boolean> {
  for (const prefix of [metadataPrefix('processed', domain), metadataPrefix('processed')]) {
    const { keys } = await bucket.list({ prefix, limit: KEYS_PER_PAGE })
    const isNewer = (key: string) => {
      const message = parseMetadataKey(key)
      return message !== null && uuidTime(message.id) > since
    }
    if (keys.some(isNewer)) return true
  }
  return false
}
