import type { Attachment } from '@mailhatch/sdk'
import type { Context, Hono } from 'hono'
import { AppError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import type { Contents } from '../../read/content.ts'
import type { Store, StoredMessage, View } from '../../store/store.ts'
import type { ApiEnvironment } from '../app.ts'
import { attachmentHeaders } from '../download.ts'
import { findSession, type SessionPorts } from '../session.ts'
import { teamView, viewOf } from '../view.ts'

const STALLED_MS_MAX = 30_000
/** For 25 MiB over a slow line. */
const SENDING_MS_MAX = 300_000

type Ports = SessionPorts & { store: Pick<Store, 'findMessage'>; contents: Contents }

/** For keys under `/v1`; for people at the dashboard, who have a session and no key, the same under `/app`. */
export function addContentRoutes(app: Hono<ApiEnvironment>, ports: Ports): void {
  addRoutes(app, ports, '/v1', async (context) => viewOf(context.get('principal'), {}, ports.now()))
  addRoutes(app, ports, '/app', async (context) => {
    const signedIn = await findSession(ports, context.req.raw)
    if (!signedIn) throw new AppError('unauthorized', 'Unauthorized')
    if (!signedIn.team) throw new AppError('forbidden', 'Make or join a team first.')
    return teamView(signedIn.team, {}, ports.now())
  })
}

function addRoutes(
  app: Hono<ApiEnvironment>,
  { store, contents }: Pick<Ports, 'store' | 'contents'>,
  prefix: '/v1' | '/app',
  viewFor: (context: Context<ApiEnvironment>) => Promise<View>,
): void {
  async function findMessage(context: Context<ApiEnvironment>, id: string): Promise<StoredMessage> {
    const view = await viewFor(context)
    const message = isUuid(id) ? await store.findMessage(view, id.toLowerCase()) : null
    if (!message) throw notFound()
    return message
  }

  app.get(`${prefix}/messages/:id/raw`, async (context) => {
    const message = await findMessage(context, context.req.param('id'))
    const { size, stream } = await contents.raw(message)
    // Nobody will read it, and it may hold a file open.
    if (context.req.method === 'HEAD') await stream.cancel()
    return context.body(stream, 200, {
      'content-length': String(size),
      ...attachmentHeaders({ contentType: 'message/rfc822', filename: `${message.id}.eml` }),
    })
  })

  app.get(`${prefix}/messages/:id/attachments/:index`, async (context) => {
    const message = await findMessage(context, context.req.param('id'))
    const attachment = findAttachment(message.attachments, context.req.param('index'))
    const bytes = attachment && (await contents.attachment(message, attachment.index, readerOf(context)))
    if (!bytes) throw notFound()
    const { contentType, filename, index } = attachment
    // Decoded from the raw mail just now, so nobody else holds these bytes.
    return context.body(bytes as Uint8Array<ArrayBuffer>, 200, {
      'content-length': String(bytes.byteLength),
      ...attachmentHeaders({ contentType, filename: filename ?? `attachment-${index}` }),
    })
  })
}

/** One that takes nothing for a while, or has not taken everything in the end, is cut off: its bytes are in memory. */
function readerOf({ env: { outgoing } }: Context<ApiEnvironment>) {
  return {
    isGone: () => outgoing?.destroyed ?? false,
    async sent() {
      if (!outgoing || outgoing.closed) return
      outgoing.setTimeout(STALLED_MS_MAX, () => outgoing.destroy())
      const deadline = setTimeout(() => outgoing.destroy(), SENDING_MS_MAX).unref()
      await new Promise((resolve) => outgoing.once('close', resolve))
      clearTimeout(deadline)
    },
  }
}

/** By `0`, or `cid:` and a content id, with or without angle brackets. */
function findAttachment(attachments: Attachment[], text: string): Attachment | undefined {
  const contentId = /^cid:<?([^<>]+)>?$/i.exec(text)?.[1]
  return attachments.find((one) => (contentId === undefined ? String(one.index) === text : one.contentId === contentId))
}

function notFound(): AppError {
  return new AppError('message_not_found', 'Not found')
}
