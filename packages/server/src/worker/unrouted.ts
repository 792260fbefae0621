import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { AppError } from '../domain/errors.ts'
import { metadataKey, metadataPrefix, parseMetadataKey, type MessageLocation } from '../domain/object-keys.ts'
import { inGroups } from '../domain/in-groups.ts'
import { messageNotFound } from './admin-params.ts'
import type { StoredOutcome } from './announce-stored.ts'
import { decodeMetadata, type Metadata } from './metadata.ts'

const READ_AT_ONCE_MAX = 6
const PREFIX = metadataPrefix('unprocessed')

type Ports = {
  bucket: Pick<Bucket, 'get' | 'list'>
  /** Null when no webhook is configured. */
  announceNow: ((key: string) => Promise<StoredOutcome>) | null
}

/** Stored mail that the API has refused. */
export function createUnrouted({ bucket, announceNow }: Ports) {
  async function read(key: string): Promise<Metadata | null> {
    const object = await bucket.get(key)
    return object && decodeMetadata(await bytesOf(object))
  }

  return {
    async list({ cursor, limit }: { cursor: string | null; limit: number }) {
      const after = cursor === null ? undefined : `${PREFIX}${cursor}`
      const page = await bucket.list({ prefix: PREFIX, cursor: after, limit })
      const keys = page.keys.filter((key) => parseMetadataKey(key) !== null)
      const found = await inGroups(keys, READ_AT_ONCE_MAX, read)
      return {
        // Mail without an attempt is still on its way.
        mails: found
          .filter((metadata) => metadata !== null && (metadata.attempts > 0 || metadata.setAside !== null))
          .map((metadata) => summary(metadata!)),
        cursor: page.cursor && page.cursor.slice(PREFIX.length),
      }
    },

    async retry(mail: MessageLocation): Promise<void> {
      if (!announceNow) throw new AppError('webhook_not_configured', 'Webhook not configured')
      const result = await announceNow(metadataKey('unprocessed', mail))
      if (result.outcome === 'gone') throw messageNotFound()
      if (result.outcome === 'raw gone')
        throw new AppError('raw_unavailable', 'The raw mail of this message no longer exists.')
      if (result.outcome !== 'failed') return
      throw new AppError('announcement_failed', `The API did not accept the message: ${result.metadata.lastError}`)
    },
  }
}

function summary(metadata: Metadata) {
  const { id, domain, mailbox, from, to, subject, receivedAt, attempts, lastError, setAside } = metadata
  return { id, domain, mailbox, from, to, subject, receivedAt, attempts, lastError, setAside: setAside?.reason ?? null }
}
