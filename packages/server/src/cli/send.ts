import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ConnectionError, MessageTimeoutError, type Mailhatch } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { secureRandom } from '../random.ts'
import { clientOf, findConnection, withSmtp, type Connection } from './connection.ts'
import { examples } from './examples.ts'
import { readEnvelope } from './mail-envelope.ts'
import { note, print, type JsonOption } from './output.ts'
import { openSmtp, readAddress, type OutgoingMail, type Sent } from './smtp.ts'
import { unclaimedText } from './unclaimed-text.ts'

/** A message is visible milliseconds after its mail was accepted. If it never is, it belongs to another team. */
const VISIBLE_MS_MAX = 5_000

type SendOptions = JsonOption & {
  to?: string[]
  from: string
  subject: string
  text?: string
  html?: string
  attach?: string[]
}

export function addSendCommand(program: Command): void {
  const command = program
    .command('send [file]')
    .description('Send a test mail or an .eml file (- for standard input) to the server by SMTP.')
    .option('--to <address>', 'recipient; may be repeated (default: the recipients in the file)', collectAddress)
    .option('--from <address>', 'sender', 'sender@shop.example')
    .option('--subject <text>', 'subject of a test mail', 'Test mail')
    .option('--text <text>', 'text of a test mail (default: a text with a code)')
    .option('--html <html>', 'HTML of a test mail')
    .option('--attach <file>', 'attach a file to a test mail; may be repeated', collect)
    .option('--json', 'print JSON')
  withSmtp(command)
    .addHelpText(
      'after',
      examples(
        'mailhatch send --to qa+signup@mailhatch.test --subject "Your code" --text "Your code is 482913."',
        'mailhatch send --to qa@mailhatch.test --html "<a href=\'https://shop.example/verify\'>Verify</a>" --attach terms.txt',
        'mailhatch send mail.eml --to qa@mailhatch.test',
        'cat mail.eml | mailhatch send - --to qa@mailhatch.test',
      ),
    )
    .action(async (file: string | undefined, options: SendOptions) => {
      if (file === undefined && options.to === undefined) {
        command.error('error: pass the recipient with --to, for example --to qa@mailhatch.test')
      }
      const { messageId, ...mail } = await (file === undefined ? composeMail(options) : readMail(file, options))
      if (mail.to.length === 0) command.error('error: the mail has no recipient; pass one with --to')
      const connection = findConnection(command)
      const start = await startOf(connection)
      const sent = await sendOne(connection.smtp.value, mail)
      const found = start === null ? [] : await findMessages({ ...start, messageId }, sent)
      const ids = found.flatMap(({ id }) => (id === null ? [] : [id]))
      const lines = [sent.reply, ...ids, ...sent.rejected.map((address) => `rejected: ${address}`)]
      print({ ids, reply: sent.reply, accepted: sent.accepted, rejected: sent.rejected }, lines, options)
      for (const { to, problem } of found) {
        if (problem !== null) note({ code: problem.code, message: problem.says, to })
      }
    })
}

type Outgoing = OutgoingMail & { messageId: string | null }

async function composeMail({ to = [], from, subject, html, attach = [], ...options }: SendOptions): Promise<Outgoing> {
  const { createTransport } = await import('nodemailer')
  const code = String(secureRandom(1_000_000)).padStart(6, '0')
  const text =
    options.text ?? (html === undefined ? `A test mail from mailhatch send. Your code is ${code}.` : undefined)
  // Read here, because nodemailer would also accept URLs as paths.
  const attachments = attach.map((path) => ({ filename: basename(path), content: readFileSync(path) }))
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { message, messageId } = await composer.sendMail({ to, from, subject, text, html, attachments })
  // The transport option `buffer` makes it a Buffer.
  return { from, to, raw: message as Buffer, messageId }
}

async function readMail(file: string, options: SendOptions): Promise<Outgoing> {
  const raw = file === '-' ? await buffer(process.stdin) : readFileSync(file)
  const { to, from, messageId } = await readEnvelope(raw)
  return { raw, to: options.to ?? to, from: from || options.from, messageId }
}

async function sendOne(address: string, mail: OutgoingMail): Promise<Sent> {
  const smtp = await openSmtp(address)
  try {
    return await smtp.send(mail)
  } finally {
    smtp.close()
  }
}

type Start = { mailhatch: Mailhatch; cursor: string }

/** The newest cursor before the mail is sent; null without a key, or if only the SMTP server is reachable. */
async function startOf(connection: Connection): Promise<Start | null> {
  if (connection.apiKey === null) return null
  const mailhatch = clientOf(connection)
  try {
    return { mailhatch, cursor: (await mailhatch.me()).cursor }
  } catch (error) {
    if (error instanceof ConnectionError) return null
    throw error
  }
}

type Problem = { code: string; says: string }
type Found = { to: string; id: string | null; problem: Problem | null }

/** The stored message of each recipient, or why the key does not see it. */
async function findMessages(
  { mailhatch, cursor, messageId }: Start & { messageId: string | null },
  { accepted }: Sent,
) {
  const header = messageId === null ? {} : { header: `Message-ID: ${messageId}` }
  const options = { timeout: VISIBLE_MS_MAX }
  return Promise.all(
    accepted.map(async (to): Promise<Found> => {
      try {
        const { id } = await mailhatch.messages.waitFor({ to, after: cursor, ...header }, options)
        return { to, id, problem: null }
      } catch (error) {
        if (error instanceof MessageTimeoutError) return { to, id: null, problem: problemOf(to, error) }
        throw error
      }
    }),
  )
}

function problemOf(to: string, { refused }: MessageTimeoutError): Problem {
  const refusal = refused?.find((one) => one.to.toLowerCase() === to.toLowerCase())
  if (refusal?.code === 'inbox_domain_unknown') return { code: refusal.code, says: unclaimedText(`Mail to ${to}`) }
  if (refusal)
    return { code: refusal.code, says: `The mail to ${to} was accepted and then refused: ${refusal.reason}.` }
  const seconds = VISIBLE_MS_MAX / 1000
  return {
    code: 'not_visible',
    says: `The mail to ${to} was accepted, but this key saw no message within ${seconds} s. It may belong to another team.`,
  }
}

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value]
}

function collectAddress(value: string, previous?: string[]): string[] {
  return collect(readAddress(value), previous)
}
