import { setTimeout as pause } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { AppError } from '../domain/errors.ts'
import type { Log } from '../observe/log.ts'

/** Mails being sent or queued. Beyond this, the relay is too slow. */
const MAILS_MAX = 100
const CONNECTIONS_MAX = 2
const CONNECT_MS_MAX = 10_000
/** Without a response from the relay. */
const SILENCE_MS_MAX = 20_000
/** Mails not sent by then are lost. Users can request another. */
const CLOSE_MS_MAX = 5_000

export type Mail = { to: string; subject: string; text: string }

export type Mailer = {
  /** Resolves when the relay has accepted the mail. A failure is logged and rejects. */
  send(mail: Mail): Promise<void>
  close(): Promise<void>
}

type Options = { relayUrl: string; from: string; log: Pick<Log, 'error'> }

/** Sends mail to users with accounts, through an external SMTP server. */
export function createMailer({ relayUrl, from, log }: Options): Mailer {
  const transport = createTransport({ ...readRelay(relayUrl), pool: true, maxConnections: CONNECTIONS_MAX })
  const sending = new Set<Promise<unknown>>()

  return {
    async send({ to, subject, text }) {
      if (sending.size >= MAILS_MAX) {
        log.error({ waiting: sending.size }, 'dropped a mail because the relay is too slow')
        throw new AppError('server_busy', 'Mail cannot be sent at the moment.', { headers: { 'retry-after': '60' } })
      }
      const sent = transport.sendMail({ from, to, subject, text, disableFileAccess: true, disableUrlAccess: true })
      sending.add(sent)
      try {
        await sent
      } catch (error) {
        // Without the mail, which may contain a sign-in link.
        log.error({ err: error }, 'sending a mail failed')
        throw error
      } finally {
        sending.delete(sent)
      }
    },
    async close() {
      await Promise.race([Promise.allSettled(sending), pause(CLOSE_MS_MAX, null, { ref: false })])
      transport.close()
    },
  }
}

function readRelay(relayUrl: string) {
  const { protocol, hostname, port, username, password } = new URL(relayUrl)
  const secure = protocol === 'smtps:'
  return {
    // Only a URL has an IPv6 address in brackets.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
  }
}
