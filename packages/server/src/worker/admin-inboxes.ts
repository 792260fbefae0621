import { inGroups } from '../domain/in-groups.ts'
import type { Context, Hono } from 'hono'
import type { AnswerEnvironment } from '../answer-errors.ts'
import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { objectsIn } from '../bucket/message-objects.ts'
import { adminMessagePath } from '../domain/admin-path.ts'
import { AppError } from '../domain/errors.ts'
import { metadataKey, rawKey, type MetadataStatus, type MessageLocation } from '../domain/object-keys.ts'
import type { Log } from '../observe/log.ts'
import {
  invalid,
  messageNotFound,
  readDomain,
  readLimit,
  readMailbox,
  readMessage,
  readStatus,
} from './admin-params.ts'
import type { AdminSettings } from './admin-settings.ts'
import { objectExists, type AnnouncePorts } from './announce-stored.ts'
import { decodeMetadata, type Metadata } from './metadata.ts'
import { newestIds } from './newest-ids.ts'
import { storedMailboxes, type StoredMailbox } from './stored-mailboxes.ts'

/** Objects read at once: Cloudflare allows six open connections per request. */
const READ_AT_ONCE_MAX = 6
const BOTH: MetadataStatus[] = ['unprocessed', 'processed']

export type InboxPorts = {
  bucket: Bucket
  parse: AnnouncePorts['parse']
  settings: AdminSettings
  now: () => number
  log: Pick<Log, 'error'>
}

export function addInboxRoutes(app: Hono<AnswerEnvironment>, { bucket, parse, settings, now, log }: InboxPorts): void {
  app.get('/admin/inboxes', async (context) => {
    const status = readStatus(context.req.query('status'))
    const domain = readDomain(settings, context.req.query('domain'))
    const limit = readLimit(context.req.query('limit'))
    const after = readMailboxCursor(context.req.query('cursor'), domain)
    const found = await storedMailboxes(bucket, { statuses: status ? [status] : BOTH, domain, after, limit: limit + 1 })
    const mailboxes = found.slice(0, limit).map(({ domain, mailbox }) => `${domain}/${mailbox}`)
    return context.json({ mailboxes, status, ...(found.length > limit ? { cursor: mailboxes.at(-1) } : {}) })
  })

  app.get('/admin/inboxes/:localPart/messages', async (context) => {
    const mailbox = readMailbox(settings, {
      localPart: context.req.param('localPart'),
      domain: context.req.query('domain'),
    })
    const status = readStatus(context.req.query('status'))
    const limit = readLimit(context.req.query('limit'))
    const before = context.req.query('cursor') || null
    // Unprocessed first: a mail that is processed between the two listings is found twice, not missed.
    const statuses = status ? [status] : BOTH
    const found = new Map<string, { id: string; status: MetadataStatus }>()
    for (const status of statuses) {
      const ids = await newestIds(bucket, { ...mailbox, status, before, limit: limit + 1, now: now() })
      for (const id of ids) found.set(metadataKey('processed', { ...mailbox, id }), { id, status })
    }
    const keys = Array.from(found.keys()).sort().reverse()
    const page = keys.slice(0, limit).map((key) => found.get(key)!)
    const messages = await inGroups(page, READ_AT_ONCE_MAX, ({ id, status }) =>
      // Reads the status it was listed under first. If the metadata has moved since, it is under the other status.
      readListed({ ...mailbox, id }, [status, ...statuses]),
    )
    return context.json({
      messages: messages.filter((metadata) => metadata !== null).map((metadata) => withUrl(context, metadata)),
      ...(status ? { status } : {}),
      ...(keys.length > limit ? { cursor: page.at(-1)?.id } : {}),
    })
  })

  app.get('/admin/inboxes/:localPart/messages/:id', async (context) => {
    const message = messageOf(context)
    const metadata = await readMetadata(message, BOTH)
    if (!metadata) throw messageNotFound()
    const raw = await bucket.get(metadata.rawKey)
    if (!raw) throw new AppError('raw_unavailable', 'The raw mail of this message no longer exists.')
    const { html, plainText } = await parse(raw)
    return context.json({ ...withUrl(context, metadata), rawContent: html ?? '', plainContent: plainText })
  })

  app.get('/admin/inboxes/:localPart/messages/:id/raw', async (context) => {
    const message = messageOf(context)
    const raw = await bucket.get(rawKey(message))
    if (!raw) throw messageNotFound()
    // A HEAD response has no body, and an unread stream may keep a file open.
    if (context.req.method === 'HEAD') await raw.stream.cancel()
    return context.body(raw.stream, 200, {
      'content-type': 'message/rfc822',
      'content-length': String(raw.size),
      'content-disposition': `attachment; filename="${message.id.replaceAll(/[^\w.-]/g, '_')}.eml"`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
  })

  app.delete('/admin/inboxes/:localPart/messages/:id', async (context) => {
    const message = messageOf(context)
    const keys = [...BOTH.map((status) => metadataKey(status, message)), rawKey(message)]
    const found = await Promise.all(keys.map((key) => objectExists(bucket, key)))
    if (!found.includes(true)) throw messageNotFound()
    await objectsIn(bucket).remove([message])
    return context.json({ ok: true, id: message.id })
  })

  function messageOf(context: Context<AnswerEnvironment>): MessageLocation {
    return readMessage(settings, {
      // The routes that call this have both in their path.
      localPart: context.req.param('localPart')!,
      id: context.req.param('id')!,
      domain: context.req.query('domain'),
    })
  }

  async function readMetadata(message: MessageLocation, statuses: MetadataStatus[]): Promise<Metadata | null> {
    for (const status of statuses) {
      const object = await bucket.get(metadataKey(status, message))
      if (object) return decodeMetadata(await bytesOf(object))
    }
    return null
  }

  /** Logs metadata that cannot be read and leaves it out of the list. */
  async function readListed(message: MessageLocation, statuses: MetadataStatus[]): Promise<Metadata | null> {
    try {
      return await readMetadata(message, statuses)
    } catch (error) {
      log.error({ err: error, id: message.id }, 'the metadata of a mail could not be read')
      return null
    }
  }
}

function withUrl(context: Context, metadata: Metadata): Metadata & { emlUrl: string } {
  const { origin } = new URL(context.req.url)
  return { ...metadata, emlUrl: `${origin}${adminMessagePath(metadata, '/raw')}` }
}

/** The list writes `<domain>/<localPart>`. A quoted local part may contain slashes, a domain cannot. */
function readMailboxCursor(text: string | undefined, listedDomain: string | null): StoredMailbox | null {
  if (!text) return null
  const slash = text.indexOf('/')
  const after = { domain: text.slice(0, slash), mailbox: text.slice(slash + 1) }
  const isInList = listedDomain === null || after.domain === listedDomain
  if (slash < 1 || after.mailbox === '' || !isInList) throw invalid('cursor', 'must be the cursor of the previous page')
  return after
}
