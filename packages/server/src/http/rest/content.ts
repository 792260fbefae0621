import type { Attachment } from '@mailhatch/sdk'
import type { Context, Hono } from 'hono'
import type { StoredObject } from '../../bucket/bucket.ts'
import { AppError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import type { Contents } from '../../read/content.ts'
import type { Store, StoredMessage, View } from '../../store/store.ts'
import type { ApiEnvironment } from '../app.ts'
import { attachmentHeaders } from '../download.ts'
import type { Downloads } from '../downloads.ts'
import { findSession, type SessionPorts } from '../session.ts'
import { teamView, viewOf } from '../view.ts'

type Ports = SessionPorts & { store: Pick<Store, 'findMessage'>; contents: Contents; downloads: Downloads }

/** What someone may see, and for whom their downloads are counted. */
type Reader = { view: View; who: string }

/** For keys under `/v1`; for people at the dashboard, who have a session and no key, the same under `/app`. */
export function addContentRoutes(app: Hono<ApiEnvironment>, ports: Ports): void {
  addRoutes(app, ports, '/v1', async (context) => {
    const principal = context.get('principal')
    return { view: viewOf(principal, {}, ports.now()), who: principal.keyId }
  })
  addRoutes(app, ports, '/app', async (context) => {
    const signedIn = await findSession(ports, context.req.raw)
    if (!signedIn) throw new AppError('unauthorized', 'Unauthorized')
    if (!signedIn.team) throw new AppError('forbidden', 'Make or join a team first.')
    return { view: teamView(signedIn.team, {}, ports.now()), who: signedIn.user.id }
  })
}

function addRoutes(
  app: Hono<ApiEnvironment>,
  { store, contents, downloads }: Pick<Ports, 'store' | 'contents' | 'downloads'>,
  prefix: '/v1' | '/app',
  readerFor: (context: Context<ApiEnvironment>) => Promise<Reader>,
): void {
  async function begin(context: Context<ApiEnvironment>): Promise<{ message: StoredMessage; who: string }> {
    const id = context.req.param('id') ?? ''
    const { view, who } = await readerFor(context)
    const message = isUuid(id) ? await store.findMessage(view, id.toLowerCase()) : null
    if (!message) throw notFound()
    downloads.begin(who, context.env?.outgoing)
    return { message, who }
  }

  app.get(`${prefix}/messages/:id/raw`, async (context) => {
    const { message } = await begin(context)
    const file = { contentType: 'message/rfc822', filename: `${message.id}.eml` }
    return answer(context, await contents.raw(message), file)
  })

  app.get(`${prefix}/messages/:id/attachments/:index`, async (context) => {
    const { message, who } = await begin(context)
    const attachment = findAttachment(message.attachments, context.req.param('index'))
    const isGone = () => context.env?.outgoing?.destroyed ?? false
    const found = attachment && (await contents.attachment(message, attachment.index, { who, isGone }))
    if (!found) throw notFound()
    const { contentType, filename, index } = attachment
    return answer(context, found, { contentType, filename: filename ?? `attachment-${index}` })
  })
}

function answer(
  context: Context<ApiEnvironment>,
  { size, stream }: StoredObject,
  file: { contentType: string; filename: string },
): Response {
  const { outgoing } = context.env ?? {}
  // It may hold a file open. One that is being read is ended by its reader.
  const drop = () => void stream.cancel().catch(() => {})
  if (context.req.method === 'HEAD' || outgoing?.destroyed) drop()
  else outgoing?.once('close', drop)
  return context.body(stream, 200, { 'content-length': String(size), ...attachmentHeaders(file) })
}

/** By `0`, or `cid:` and a content id, with or without angle brackets. */
function findAttachment(attachments: Attachment[], text: string): Attachment | undefined {
  const contentId = /^cid:<?([^<>]+)>?$/i.exec(text)?.[1]
  return attachments.find((one) => (contentId === undefined ? String(one.index) === text : one.contentId === contentId))
}

function notFound(): AppError {
  return new AppError('message_not_found', 'Not found')
}
