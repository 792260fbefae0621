import type { Hono } from 'hono'
import { FULL_SCOPES } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { packageVersion } from '../../http/package-version.ts'
import { requireScope } from '../../http/view.ts'
import { usernameIn } from '../access.ts'
import { markOpened, notSupported, viewFor, type PeerContext, type PeerEnvironment } from '../caller.ts'
import { sendHtmlPage, viewed } from '../content.ts'
import { shownId } from '../mails.ts'
import { readFields } from './bodies.ts'
import { mailFor, type MailpitPorts } from './caller.ts'
import { textOf } from './clean-text.ts'
import { composeMail, SEND_BYTES_MAX, sendBody } from './send.ts'

/** For a sent mail to become messages. It usually takes milliseconds. */
const SENT_MS_MAX = 10_000

const CHAOS = 'chaos. Scenarios make the server refuse, delay or cut mail for an address: POST /v1/scenarios.'

/** The server itself, sending, and pages of messages. */
export function addOtherRoutes(app: Hono<PeerEnvironment>, ports: MailpitPorts): void {
  const { store } = ports
  const startedAt = ports.now()

  app.get('/api/v1/info', async (context) => {
    const { total, unread } = await ports.counts(context.var.principal, viewFor(ports, context))
    return context.json({
      Version: `v${packageVersion()}`,
      LatestVersion: 'disabled',
      Database: '',
      DatabaseSize: 0,
      Messages: total,
      Unread: unread,
      Tags: Object.fromEntries(await ports.search.countTags(viewFor(ports, context))),
      RuntimeStats: {
        Uptime: Math.floor((ports.now() - startedAt) / 1000),
        Memory: 0,
        MessagesDeleted: 0,
        SMTPAccepted: 0,
        SMTPAcceptedSize: 0,
        SMTPRejected: 0,
        SMTPIgnored: 0,
      },
    })
  })

  app.get('/api/v1/webui', (context) => context.json(WEB_UI))

  app.on(['GET', 'PUT'], '/api/v1/chaos', () => {
    throw notSupported(CHAOS)
  })

  app.post('/api/v1/send', async (context) => {
    try {
      return context.json({ ID: shownId(await send(context)) })
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 400) throw error
      return context.json({ Error: error.message }, 400)
    }
  })

  app.get('/view/latest', async (context) => {
    const { id } = await mailFor(ports, context, 'latest')
    return context.redirect(shownId(id))
  })

  app.get('/view/:file', async (context) => {
    const [, id = '', ending] = /^(.*?)(\.html|\.txt)?$/s.exec(context.req.param('file'))!
    const mail = await mailFor(ports, context, id)
    if (ending === undefined) return context.redirect(`${id}${mail.html === null ? '.txt' : '.html'}`)
    ports.downloads.begin(context.var.principal.keyId, context.env?.outgoing)
    // Also if there is nothing to show, as in Mailpit.
    await markOpened(ports, viewFor(ports, context), mail)
    if (ending === '.html' && mail.html === null) {
      throw new AppError('not_found', 'This message does not contain a HTML part')
    }
    if (ending === '.txt') return context.text(textOf(mail), 200, viewed('text/plain; charset=utf-8'))
    return sendHtmlPage(ports, context, { ...mail, html: mail.html! })
  })

  /** Stores the mail and announces it. Resolves to an id of it when the caller sees it. */
  async function send(context: PeerContext): Promise<string> {
    const { principal } = context.var
    requireScope(principal, FULL_SCOPES)
    const { worker } = ports.inbound
    if (!worker) throw notSupported('sending, because the worker runs in another process. Send to its SMTP port.')
    const body = await readFields(context.req.raw, sendBody, SEND_BYTES_MAX)
    if (body === null) throw new AppError('validation_failed', 'The body is empty.')
    const username = usernameIn(context.req.raw.headers)
    const ids = await worker.receiveMail({
      ...(await composeMail(body)),
      receivedVia: 'compat',
      ...(username && { username }),
    })
    await worker.caughtUp(SENT_MS_MAX, ids)
    const view = viewFor(ports, context)
    view.proceed?.()
    const [own] = await store.findCopies(view, ids[0]!)
    if (own) return ids[0]!
    throw new AppError('validation_failed', 'The mail was received, but this key sees no message of it.')
  }
}

const WEB_UI = {
  Label: '',
  MessageRelay: {
    Enabled: false,
    SMTPServer: '',
    ReturnPath: '',
    AllowedRecipients: '',
    BlockedRecipients: '',
    OverrideFrom: '',
    PreserveMessageIDs: false,
    RecipientAllowlist: '',
  },
  SpamAssassin: false,
  ChaosEnabled: false,
  DuplicatesIgnored: false,
  HideDeleteAllButton: false,
}
