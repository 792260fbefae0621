import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { AppError } from '../domain/errors.ts'
import { metadataKey, metadataPrefix, parseMetadataKey, type MessageLocation } from '../domain/object-keys.ts'
import { inGroups } from '../domain/in-groups.ts'
import { messageNotFound } from './admin-params.ts'
import type { StoredOutcome } from './announce-stored.ts'
import { decodeMetadata, type Metadata } from './metadata.ts'
import type { UnroutedIndex } from './unrouted-index.ts'

const READ_AT_ONCE_MAX = 6
const PREFIX = metadataPrefix('unprocessed')
/** Pages without a result that one request reads. */
const PAGES_MAX = 100

type PageOptions = { limit: number; withoutOthers: boolean }

type Ports = {
  bucket: Pick<Bucket, 'get' | 'list'>
  /** Null when no webhook is configured. */
  announceNow: ((key: string) => Promise<StoredOutcome>) | null
  /** Mail that the dashboard also lists under other addresses. Null when no webhook is configured. */
  others: Pick<UnroutedIndex, 'find'> | null
}

/** Stored mail that the API has refused. */
export function createUnrouted({ bucket, announceNow, others }: Ports) {
  async function read(key: string): Promise<Metadata | null> {
    const object = await bucket.get(key)
    return object && decodeMetadata(await bytesOf(object))
  }

  async function listPage(after: string | null, { limit, withoutOthers }: PageOptions) {
    const page = await bucket.list({ prefix: PREFIX, cursor: after ?? undefined, limit })
    const keys = page.keys.filter((key) => {
      const mail = parseMetadataKey(key)
      return mail !== null && !(withoutOthers && others?.find(mail.id))
    })
    const found = await inGroups(keys, READ_AT_ONCE_MAX, read)
    // Mail without an attempt is still on its way.
    const mails = found.filter(
      (metadata) => metadata !== null && (metadata.attempts > 0 || metadata.setAside !== null),
    ) as Metadata[]
    return { mails: mails.map(summary), cursor: page.cursor }
  }

  return {
    /** Without other mail, a page may have fewer mails than `limit`. Pages without any are skipped. */
    async list({ cursor, limit, withoutOthers }: PageOptions & { cursor: string | null }) {
      let page = await listPage(cursor === null ? null : `${PREFIX}${cursor}`, { limit, withoutOthers })
      for (let count = 1; count < PAGES_MAX && page.mails.length === 0 && page.cursor !== null; count++) {
        page = await listPage(page.cursor, { limit, withoutOthers })
      }
      return { mails: page.mails, cursor: page.cursor && page.cursor.slice(PREFIX.length) }
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
