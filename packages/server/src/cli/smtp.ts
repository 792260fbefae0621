import { ConnectionError } from '@mailhatch/sdk'
import { InvalidArgumentError } from 'commander'
import { AppError } from '../domain/errors.ts'
import { isLoopback, SMTP_PORT } from './connection.ts'
import { SmtpRefusal } from './failure.ts'

const CONNECT_MS_MAX = 10_000
/** Time without any data from the server. */
const SILENCE_MS_MAX = 60_000

/** nodemailer refuses mail that is larger than the server accepts, and addresses that are none. */
const MAIL_PROBLEMS = ['EMESSAGE', 'EENVELOPE']

export type OutgoingMail = { from: string; to: string[]; raw: Uint8Array }
export type Sent = { accepted: string[]; rejected: string[]; reply: string }

export type SmtpSender = {
  /** Throws if all recipients are rejected. */
  send(mail: OutgoingMail): Promise<Sent>
  close(): void
}

/** Sends mail unchanged, over the given number of connections. */
export async function openSmtp(address: string, connections = 1): Promise<SmtpSender> {
  const { createTransport } = await import('nodemailer')
  const server = readSmtpAddress(address)
  const transport = createTransport({
    ...server,
    pool: true,
    maxConnections: connections,
    maxMessages: Infinity,
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
    // A self-signed certificate of a local server cannot be verified.
    ignoreTLS: isLoopback(server.host),
  })
  return {
    async send({ from, to, raw }) {
      const sending = transport.sendMail({ envelope: { from, to }, raw: Buffer.from(raw) })
      const { accepted, rejected, response } = await sending.catch((error: unknown) => {
        throw explain(error, server)
      })
      return { accepted: accepted.map(String), rejected: rejected.map(String), reply: response }
    },
    close: () => transport.close(),
  }
}

/** Only what cannot be meant is refused here. The server checks the rest. */
export function readAddress(text: string): string {
  if (/^[^\s@].*@[^\s@]+$|^[^\s@]@[^\s@]+$/.test(text.trim())) return text.trim()
  throw new InvalidArgumentError('Expected an address such as qa@mailhatch.test.')
}

/** Parses `host`, `host:port`, or a URL with user and password. */
export function readSmtpAddress(address: string) {
  const url = URL.parse(/^[a-z]+:\/\//i.test(address) ? address : `smtp://${address}`)
  if ((url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:') || url.hostname === '') {
    throw new AppError('validation_failed', `${address} is not an SMTP address. Use host:port, or smtp://….`)
  }
  const { protocol, hostname, port, username, password } = url
  return {
    // Remove the brackets that URLs put around an IPv6 address.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || SMTP_PORT,
    secure: protocol === 'smtps:',
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  }
}

function explain(error: unknown, { host, port }: { host: string; port: number }): unknown {
  if (!(error instanceof Error)) return error
  if ('response' in error && typeof error.response === 'string') return new SmtpRefusal(error.response)
  if ('code' in error && typeof error.code === 'string') {
    if (MAIL_PROBLEMS.includes(error.code)) return new SmtpRefusal(error.message)
    return new ConnectionError(`The SMTP server at ${host}:${port} is unreachable (${error.message}).`, error)
  }
  return error
}
