import type { Hono } from 'hono'
import { FULL_SCOPES } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { attachmentHeaders } from '../../http/download.ts'
import { requireScope } from '../../http/view.ts'
import { removeMessages } from '../../manage/removal.ts'
import { parseHeaderValue } from '../../mime/header-value.ts'
import { notSupported, sendObject, viewFor, type PeerEnvironment } from '../caller.ts'
import { shownId, type WholeMail } from '../mails.ts'
import { findNamed, requireNamed, type MailhogPorts } from './caller.ts'
import { parseContent, partsOf, type MimeContent } from './content.ts'
import { readMail } from './read-mail.ts'
import { isLarge, sendPieces } from './write-messages.ts'

/** One message and its parts. */
export function addMessageRoutes(app: Hono<PeerEnvironment>, ports: MailhogPorts): void {
  app.get('/api/v1/messages/:id', async (context) => {
    const mail = await findNamed(ports, context)
    if (!mail) return context.body('null', 200, { 'content-type': 'text/json' })
    return sendPieces(context, ports.writer.write(context, mail), 'text/json')
  })

  app.delete('/api/v1/messages/:id', async (context) => {
    requireScope(context.var.principal, FULL_SCOPES)
    const mail = await requireNamed(ports, context)
    await removeMessages(ports.messages, context.var.principal.team.id, mail.positions)
    return context.body(null, 200, { 'content-type': 'text/json' })
  })

  app.get('/api/v1/messages/:id/download', async (context) => {
    const mail = await requireNamed(ports, context)
    ports.downloads.begin(context.var.principal.keyId, context.env?.outgoing)
    const file = { contentType: 'message/rfc822', filename: `${shownId(mail.id)}.eml` }
    return sendObject(context, await ports.messages.contents.raw(mail), attachmentHeaders(file))
  })

  app.get('/api/v1/messages/:id/mime/part/:part/download', async (context) => {
    const mail = await requireNamed(ports, context)
    const { keyId } = context.var.principal
    ports.downloads.begin(keyId, context.env?.outgoing)
    const number = context.req.param('part')
    const read = () => readPart(mail, number)
    const { proceed } = viewFor(ports, context)
    const { bytes, ...file } = await (isLarge(mail) ? ports.writer.inLargeTurn(keyId, read, proceed) : read())
    return context.body(bytes, 200, attachmentHeaders(file))
  })

  app.post('/api/v1/messages/:id/release', async (context) => {
    await requireNamed(ports, context)
    throw notSupported('releasing mail. It sends no mail to other servers.')
  })

  async function readPart(mail: WholeMail, number: string) {
    const parts = partsOf(parseContent(await readMail(ports.messages, mail)))?.Parts ?? []
    const part = /^\d{1,4}$/.test(number) ? parts[Number(number)] : undefined
    if (!part) throw new AppError('message_not_found', 'The message has no such part.')
    const { value: contentType } = parseHeaderValue(headerOf(part, 'content-type'))
    const filename = fileNameOf(part) ?? `${shownId(mail.id)}-part-${number}`
    return { contentType, filename, bytes: decode(part) }
  }
}

function headerOf({ Headers }: MimeContent, name: string): string {
  return Object.entries(Headers).find(([one]) => one.toLowerCase() === name)?.[1][0] ?? ''
}

function fileNameOf(part: MimeContent): string | undefined {
  return parseHeaderValue(headerOf(part, 'content-disposition')).parameters.get('filename')
}

/** MailHog decodes base64 and nothing else. */
function decode(part: MimeContent): Uint8Array<ArrayBuffer> {
  const isBase64 = headerOf(part, 'content-transfer-encoding').trim().toLowerCase() === 'base64'
  return Uint8Array.from(Buffer.from(part.Body.bytes, isBase64 ? 'base64' : 'latin1'))
}
