import type { Context, Hono } from 'hono'
import type { AnswerEnvironment } from '../answer-errors.ts'
import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { objectsIn } from '../bucket/message-objects.ts'
import { adminMessagePath } from '../domain/admin-path.ts'
import { AppError } from '../domain/errors.ts'
import { metadataKey, rawKey, type MetadataStatus, type StoredMessage } from '../domain/object-keys.ts'
import type { Log } from '../log.ts'
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
import { isThere, type AnnouncePorts } from './announce-stored.ts'
import { decodeMetadata, type Metadata } from './metadata.ts'
import { newestIds } from './newest-ids.ts'
import { storedMailboxes, type StoredMailbox } from './stored-mailboxes.ts'

/** Objects read at once: Cloudflare lets a request have six connections. */
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
    // In this order: what is processed meanwhile is found twice, not missed.
    const statuses = status ? [status] : BOTH
    const found = new Map<string, { id: string; status: MetadataStatus }>()
    for (const status of statuses) {
      const ids = await newestIds(bucket, { ...mailbox, status, before, limit: limit + 1, now: now() })
      for (const id of ids) found.set(metadataKey('processed', { ...mailbox, id }), { id, status })
    }
    const places = Array.from(found.keys()).sort().reverse()
    const page = places.slice(0, limit).map((place) => found.get(place)!)
    const messages = await inGroups(page, READ_AT_ONCE_MAX, ({ id, status }) =>
      // Where it was found; if it is no longer there, in the other state.
      readListed({ ...mailbox, id }, [status, ...statuses]),
    )
    return context.json({
      messages: messages.filter((metadata) => metadata !== null).map((metadata) => withUrl(context, metadata)),
      ...(status ? { status } : {}),
      ...(places.length > limit ? { cursor: page.at(-1)?.id } : {}),
    })
  })

  app.get('/admin/inboxes/:localPart/messages/:id', async (context) => {
    const message = messageOf(context)
    const metadata = await readMetadata(message, BOTH)
    if (!metadata) throw messageNotFound()
    const raw = await bucket.get(metadata.rawKey)
    if (!raw) throw new AppError('raw_unavailable', 'The raw mail of this message is gone.')
    const { html, plainText } = await parse(raw)
    return context.json({ ...withUrl(context, metadata), rawContent: html ?? '', plainContent: plainText })
  })

  app.get('/admin/inboxes/:localPart/messages/:id/raw', async (context) => {
    const message = messageOf(context)
    const raw = await bucket.get(rawKey(message))
    if (!raw) throw messageNotFound()
    // Nobody will read it, and it may hold a file open.
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
    const found = await Promise.all(keys.map((key) => isThere(bucket, key)))
    if (!found.includes(true)) throw messageNotFound()
    await objectsIn(bucket).remove([message])
    return context.json({ ok: true, id: message.id })
  })

  function messageOf(context: Context<AnswerEnvironment>): StoredMessage {
    return readMessage(settings, {
      // Both are in the path of every route that asks for a message.
      localPart: context.req.param('localPart')!,
      id: context.req.param('id')!,
      domain: context.req.query('domain'),
    })
  }

  async function readMetadata(message: StoredMessage, statuses: MetadataStatus[]): Promise<Metadata | null> {
    for (const status of statuses) {
      const object = await bucket.get(metadataKey(status, message))
      if (object) return decodeMetadata(await bytesOf(object))
    }
    return null
  }

  /** One that cannot be read does not hide the others. */
  async function readListed(message: StoredMessage, statuses: MetadataStatus[]): Promise<Metadata | null> {
    try {
      return await readMetadata(message, statuses)
    } catch (error) {
      log.error({ err: error, id: message.id }, 'the metadata of a mail cannot be read')
      return null
    }
  }
}

function withUrl(context: Context, metadata: Metadata): Metadata & { emlUrl: string } {
  const { origin } = new URL(context.req.url)
  return { ...metadata, emlUrl: `${origin}${adminMessagePath(metadata, '/raw')}` }
}

/** As the list has it: `<domain>/<localPart>`; a quoted local part may have slashes, a domain has none. */
function readMailboxCursor(text: string | undefined, listedDomain: string | null): StoredMailbox | null {
  if (!text) return null
  const slash = text.indexOf('/')
  const after = { domain: text.slice(0, slash), mailbox: text.slice(slash + 1) }
  const isOfList = listedDomain === null || after.domain === listedDomain
  if (slash < 1 || after.mailbox === '' || !isOfList) throw invalid('cursor', 'must be the cursor of the page before')
  return after
}

export async function inGroups<Item, Result>(
  items: Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += size) {
    results.push(...(await Promise.all(items.slice(start, start + size).map(work))))
  }
  return results
}
