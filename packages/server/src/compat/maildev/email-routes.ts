import type { Hono } from 'hono'
import { AppError } from '../../domain/errors.ts'
import { packageVersion } from '../../http/package-version.ts'
import { markOpened, notSupported, viewFor, type PeerEnvironment } from '../caller.ts'
import { noSuchPart, sendAttachment, sendHtmlPage, sendRaw, viewed } from '../content.ts'
import { shownId } from '../mails.ts'
import { nameAttachments } from './attachments.ts'
import { emailFor, type MaildevPorts } from './caller.ts'
import { SECOND, THIRD } from './version.ts'

const RELAY = 'relaying mail. It sends no mail to other servers.'
const RELOAD = 'loading mail from a folder. Send it to the SMTP port.'

/** One email: its content and its files. And the server itself. */
export function addEmailRoutes(app: Hono<PeerEnvironment>, ports: MaildevPorts): void {
  for (const version of [SECOND, THIRD]) {
    const email = `${version.prefix}/email/:id` as const

    app.get(email, async (context) => {
      const mail = await emailFor(ports, context, context.req.param('id'))
      await markOpened(ports, viewFor(ports, context), mail)
      return context.json(version.present(mail, { isRead: true }))
    })

    app.get(`${email}/html`, async (context) => {
      const mail = await emailFor(ports, context, context.req.param('id'))
      ports.downloads.begin(context.var.principal.keyId, context.env?.outgoing)
      const { html } = mail
      if (html !== null) return sendHtmlPage(ports, context, { ...mail, html })
      if (version === THIRD) throw new AppError('not_found', 'Email has no HTML content')
      return context.body('', 200, viewed('text/html; charset=utf-8'))
    })

    app.get(`${email}/source`, async (context) => {
      const mail = await emailFor(ports, context, context.req.param('id'))
      const file = { contentType: 'text/plain; charset=utf-8', filename: `${shownId(mail.id)}.eml` }
      return sendRaw(ports, context, mail, { ...file, isSaved: false })
    })

    app.get(`${email}/download`, async (context) => {
      const mail = await emailFor(ports, context, context.req.param('id'))
      const file = { contentType: 'message/rfc822', filename: `${shownId(mail.id)}.eml` }
      return sendRaw(ports, context, mail, { ...file, isSaved: true })
    })

    app.get(`${email}/attachment/:filename`, async (context) => {
      const mail = await emailFor(ports, context, context.req.param('id'))
      const named = nameAttachments(mail.attachments)
      const wanted = named.find(({ generatedFileName }) => generatedFileName === context.req.param('filename'))
      if (!wanted) throw noSuchPart()
      return sendAttachment(ports, context, mail, wanted)
    })

    app.on('POST', [`${email}/relay`, `${email}/relay/:relayTo`], async (context) => {
      await emailFor(ports, context, context.req.param('id'))
      throw notSupported(RELAY)
    })

    app.get(`${version.prefix}/config`, (context) =>
      context.json({
        version: packageVersion(),
        smtpPort: ports.inbound.worker?.smtp?.port,
        isOutgoingEnabled: false,
        ...(version === THIRD && { outgoingHost: null }),
      }),
    )

    app.get(`${version.prefix}/reloadMailsFromDirectory`, () => {
      throw notSupported(RELOAD)
    })
  }
}
