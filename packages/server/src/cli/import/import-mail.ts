import { HEADER_BYTES_MAX, HEADERS_MAX } from '../../mime/limits.ts'
import { SmtpRefusal } from '../failure.ts'
import { readEnvelope } from '../mail-envelope.ts'
import type { SmtpSender } from '../smtp.ts'
import { withCrlf, type KnownMail } from './known-mail.ts'
import type { Receiving } from './receiving.ts'
import type { StoredMail } from './stored-mail.ts'

/** Each recipient gets a message. A mail of tests has a few; more are a mistake or an attack. */
const RECIPIENTS_MAX = 1_000
/** Every SMTP server accepts this many in a transaction (RFC 5321, 4.5.3.1.8). */
const RECIPIENTS_AT_ONCE = 100

/** The SMTP client would take other text apart, and send to addresses that were not checked. */
const ADDRESS = /^(?:[^\s"(),:;<>@[\\\]]+|"[^\s"\\]+")@[^\s"(),:;<>@[\\\]]+$/

const HEADERS_TOO_LONG = `headers too long to find all recipients (at most ${HEADERS_MAX} headers, each of ${HEADER_BYTES_MAX / 1024} KiB); pass --to`

export type ImportPorts = { smtp: Pick<SmtpSender, 'send'>; known: KnownMail; isReceived: Receiving; domain: string }
export type ImportChoices = { to?: string; duplicates?: boolean; dryRun?: boolean }
/** `sent`: how many recipients the server has accepted. */
export type ImportOutcome = { sent: number; problem: string | null } | 'duplicate'

export async function importMail(ports: ImportPorts, mail: StoredMail, choices: ImportChoices): Promise<ImportOutcome> {
  const { known } = ports
  const wantsAll = choices.duplicates ?? false
  if (!wantsAll && choices.to === undefined && known.hasExported(mail)) return 'duplicate'
  const { from, to: named, isPartial } = await readEnvelope(mail.raw)
  if (choices.to === undefined && mail.to === null && isPartial) return { sent: 0, problem: HEADERS_TOO_LONG }
  const recipients = choices.to === undefined ? await receivedOf(ports, mail.to ?? named) : [choices.to]
  if (typeof recipients === 'string') return { sent: 0, problem: recipients }
  const missing: string[] = []
  for (const to of recipients) if (wantsAll || !(await known.has({ ...mail, to }))) missing.push(to)
  if (missing.length === 0) return 'duplicate'
  if (choices.dryRun) return { sent: 0, problem: null }
  return send(ports, { from: mail.from ?? from, to: missing, raw: withCrlf(mail.raw) })
}

/** The recipients whose mail the team receives, or why there is none. */
async function receivedOf({ isReceived, domain }: ImportPorts, named: string[]): Promise<string[] | string> {
  const addresses = [...new Set(named.filter((address) => ADDRESS.test(address)))]
  if (addresses.length === 0) return 'no recipient; pass --to'
  if (addresses.length > RECIPIENTS_MAX) return `more than ${RECIPIENTS_MAX} recipients; pass --to`
  const received: string[] = []
  for (const address of addresses) if (await isReceived(address)) received.push(address)
  return received.length > 0 ? received : `no recipient at ${domain}; pass --to, or start the server with --catch-all`
}

type Outgoing = { from: string; to: string[]; raw: Uint8Array }

async function send({ smtp }: Pick<ImportPorts, 'smtp'>, { from, to, raw }: Outgoing): Promise<ImportOutcome> {
  const refused: string[] = []
  let sent = 0
  try {
    for (let start = 0; start < to.length; start += RECIPIENTS_AT_ONCE) {
      const { accepted, rejected } = await smtp.send({ from, to: to.slice(start, start + RECIPIENTS_AT_ONCE), raw })
      sent += accepted.length
      refused.push(...rejected)
    }
  } catch (error) {
    if (error instanceof SmtpRefusal) return { sent, problem: error.reply }
    throw error
  }
  return { sent, problem: refused.length === 0 ? null : `rejected for ${refused.join(', ')}` }
}
