import type { Attachment } from '@mailhatch/sdk'
import type { Hono } from 'hono'
import { attachmentHeaders } from '../../http/download.ts'
import { findHead } from '../../mime/head.ts'
import { readHeaders } from '../../mime/headers.ts'
import { markOpened, notSupported, viewFor, type PeerEnvironment } from '../caller.ts'
import { beginningOf, noSuchPart, sendAttachment, sendRaw } from '../content.ts'
import { isImage } from '../../read/inline-images.ts'
import type { StoredMessage } from '../../store/messages.ts'
import { shownId, type WholeMail } from '../mails.ts'
import { mailFor, type MailpitPorts } from './caller.ts'
import { hiddenRecipients } from './facts.ts'
import { presentWhole } from './present.ts'
import { joinTags } from './tags.ts'

/** One message: its content, its parts, and what cannot be done with it here. */
export function addMessageRoutes(app: Hono<PeerEnvironment>, ports: MailpitPorts): void {
  const { contents } = ports.messages

  app.get('/api/v1/message/:id', async (context) => {
    const mail = await mailFor(ports, context, context.req.param('id'))
    const view = viewFor(ports, context)
    const tagged = await ports.store.tagsAmong(view.teamId, mail.positions)
    const whole = await presentWhole(ports.messages, mail, {
      who: context.var.principal.keyId,
      setTags: joinTags(tagged.map(({ tags }) => tags)),
    })
    await markOpened(ports, view, mail)
    return context.json(whole)
  })

  app.get('/api/v1/message/:id/headers', async (context) => {
    const mail = await mailFor(ports, context, context.req.param('id'))
    return context.json(headersIn(mail, await beginningOf(await contents.raw(mail))))
  })

  app.get('/api/v1/message/:id/raw', async (context) => {
    const mail = await mailFor(ports, context, context.req.param('id'))
    return sendRaw(ports, context, mail, {
      contentType: 'text/plain; charset=utf-8',
      filename: `${shownId(mail.id)}.eml`,
      isSaved: context.req.query('dl') === '1',
    })
  })

  app.get('/api/v1/message/:id/part/:part', async (context) => {
    const mail = await mailFor(ports, context, context.req.param('id'))
    return sendAttachment(ports, context, mail, partOf(mail, context.req.param('part')))
  })

  // Mailpit makes a small JPEG of it. A browser that shows the image itself makes it as small.
  app.get('/api/v1/message/:id/part/:part/thumb', async (context) => {
    const mail = await mailFor(ports, context, context.req.param('id'))
    const attachment = partOf(mail, context.req.param('part'))
    const isShown = isImage(attachment) && attachment.size <= THUMBNAIL_BYTES_MAX
    if (isShown) return sendAttachment(ports, context, mail, attachment)
    return context.body(BLANK_PNG, 200, attachmentHeaders({ contentType: 'image/png', filename: 'blank.png' }))
  })

  for (const [method, path, what] of REFUSED) {
    app.on(method, path, async (context) => {
      await mailFor(ports, context, context.req.param('id'))
      throw notSupported(what)
    })
  }
}

const REFUSED = [
  ['POST', '/api/v1/message/:id/release', 'releasing mail. It sends no mail to other servers.'],
  ['GET', '/api/v1/message/:id/html-check', 'the HTML check.'],
  ['GET', '/api/v1/message/:id/link-check', 'the link check. GET /v1/messages/:id lists the links of a message.'],
  ['GET', '/api/v1/message/:id/sa-check', 'the SpamAssassin check.'],
] as const

/** Larger images are not shown in a list. */
const THUMBNAIL_BYTES_MAX = 1024 * 1024
/** White, and as large as Mailpit's thumbnails: 180 x 120. */
const BLANK_PNG = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAALQAAAB4AQAAAABznOVQAAAAIUlEQVR42u3IMQEAAAwCIPuX1gBbBDhJf/Hee++9994fA/CFvc/C7zfgAAAAAElFTkSuQmCC',
    'base64',
  ),
)

function partOf({ attachments }: StoredMessage, part: string): Attachment {
  const attachment = attachments.find(({ index }) => String(index) === part)
  if (!attachment) throw noSuchPart()
  return attachment
}

/**
 * The headers by name, in alphabetical order, before words such as =?utf-8?q?caf=C3=A9?= are decoded. As in Mailpit, with what only
 * the envelope says.
 */
function headersIn(mail: WholeMail, beginning: Uint8Array): Record<string, string[]> {
  const byName = Map.groupBy(readHeaders(beginning, findHead(beginning)), ({ name }) => withCapitals(name))
  const entries = Array.from(byName, ([name, headers]) => [name, headers.map(({ value }) => value)] as const)
  const hidden = hiddenRecipients(mail)
  if (mail.envelope && !byName.has('Return-Path')) entries.push(['Return-Path', [`<${mail.envelope.mailFrom}>`]])
  if (hidden.length > 0 && !byName.has('Bcc')) entries.push(['Bcc', [hidden.join(', ')]])
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** As Go writes names: `Message-Id`. */
function withCapitals(name: string): string {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name)
    ? name.toLowerCase().replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
    : name
}
