import type { Attachment } from '@mailhatch/sdk'
import type { Context, Hono } from 'hono'
import { AppError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import type { Contents } from '../../read/content.ts'
import type { Store, StoredMessage } from '../../store/store.ts'
import type { ApiEnvironment } from '../app.ts'
import { attachmentHeaders } from '../download.ts'
import { viewOf } from '../view.ts'

const STALLED_MS_MAX = 30_000
/** For 25 MiB over a slow line. */
const SENDING_MS_MAX = 300_000

type Ports = { store: Pick<Store, 'findMessage'>; contents: Contents; now: () => number }

export function addContentRoutes(app: Hono<ApiEnvironment>, { store, contents, now }: Ports): void {
  async function findMessage(context: Context<ApiEnvironment>, id: string): Promise<StoredMessage> {
    const view = viewOf(context.get('principal'), {}, now())
    const message = isUuid(id) ? await store.findMessage(view, id.toLowerCase()) : null
    if (!message) throw notFound()
    return message
  }

  app.get('/v1/messages/:id/raw', async (context) => {
    const message = await findMessage(context, context.req.param('id'))
    const { size, stream } = await contents.raw(message)
    // Nobody will read it, and it may hold a file open.
    if (context.req.method === 'HEAD') await stream.cancel()
    return context.body(stream, 200, {
      'content-length': String(size),
      ...attachmentHeaders({ contentType: 'message/rfc822', filename: `${message.id}.eml` }),
    })
  })

  app.get('/v1/messages/:id/attachments/:index', async (context) => {
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
