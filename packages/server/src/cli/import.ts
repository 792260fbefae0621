import type { Mailhatch } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { clientOf, findConnection, withSmtp } from './connection.ts'
import { examples } from './examples.ts'
import { EXIT, SmtpRefusal } from './failure.ts'
import { readEnvelope } from './mail-envelope.ts'
import { findMailFiles, readMails, type MailFile, type StoredMail } from './mail-files.ts'
import { print, type JsonOption } from './output.ts'
import { terminalProgress } from './progress.ts'
import { openSmtp, type SmtpSender } from './smtp.ts'

const KIB = 1_024
/** Who mail without a sender is from, as bounces are. */
const NO_SENDER = ''

type ImportOptions = JsonOption & { to?: string; duplicates?: boolean }
type Outcome = 'imported' | 'duplicate' | { problem: string }
type Ports = { mailhatch: Mailhatch; smtp: SmtpSender; domain: string }

export function addImportCommand(program: Command): void {
  const command = program
    .command('import <path...>')
    .description('Send mail from .eml files, folders or mbox files to the server; what is there already is left out.')
    .option('--to <address>', 'give it to this address (default: the recipient on the team’s domain)')
    .option('--duplicates', 'also send what is there already')
    .option('--json', 'print JSON')
  withSmtp(command)
    .addHelpText(
      'after',
      `\nA mail is known by its Message-ID and recipient, so an interrupted import can be run again.\n${examples(
        'mailhatch import mail.eml --to qa@mailhatch.test',
        'mailhatch import mails archive.mbox --to qa+archive@mailhatch.test',
      )}`,
    )
    .action(async (paths: string[], options: ImportOptions) => {
      const files = findMailFiles(paths)
      const connection = findConnection(command)
      const mailhatch = clientOf(connection)
      const { team } = await mailhatch.me()
      const smtp = await openSmtp(connection.smtp.value)
      const result = await importAll({ mailhatch, smtp, domain: team.domain }, files, options).finally(smtp.close)
      const { imported, duplicates, problems } = result
      print(
        result,
        [`${imported} imported, ${duplicates} were there already, ${problems.length} left out.`, ...problems],
        options,
      )
      if (problems.length > 0) process.exitCode = EXIT.failure
    })
}

async function importAll(ports: Ports, files: MailFile[], options: ImportOptions) {
  const progress = terminalProgress()
  const total = kilobytes(files.reduce((sum, { bytes }) => sum + bytes, 0))
  const result = { imported: 0, duplicates: 0, problems: [] as string[] }
  let doneBytes = 0
  try {
    for await (const mail of readMails(files)) {
      const outcome = await importMail(ports, mail, options)
      if (outcome === 'imported') result.imported += 1
      else if (outcome === 'duplicate') result.duplicates += 1
      else result.problems.push(`${mail.path}: ${outcome.problem}`)
      doneBytes += mail.raw.byteLength
      progress.show({ label: 'importing kB', done: Math.min(total, kilobytes(doneBytes)), total })
    }
  } finally {
    progress.end()
  }
  return result
}

async function importMail(
  ports: Ports,
  mail: StoredMail,
  { to: wanted, duplicates = false }: ImportOptions,
): Promise<Outcome> {
  const { from, to: named, messageId } = await readEnvelope(mail.raw)
  const recipients = wanted === undefined ? (mail.to === null ? named : [mail.to]) : [wanted]
  const ours = wanted === undefined ? recipients.filter((address) => isAt(address, ports.domain)) : recipients
  if (ours.length === 0) return { problem: `no recipient at ${ports.domain}; say who gets it with --to` }
  const known =
    duplicates || messageId === null ? [] : await Promise.all(ours.map((to) => isThere(ports, to, messageId)))
  const missing = ours.filter((_, index) => !known[index])
  if (missing.length === 0) return 'duplicate'
  try {
    const { rejected } = await ports.smtp.send({ from: from || NO_SENDER, to: missing, raw: mail.raw })
    return rejected.length === 0 ? 'imported' : { problem: `refused for ${rejected.join(', ')}` }
  } catch (error) {
    if (error instanceof SmtpRefusal) return { problem: error.reply }
    throw error
  }
}

/** A part of the address is enough to the server, so that the rest is compared here. */
async function isThere({ mailhatch }: Ports, to: string, messageId: string): Promise<boolean> {
  const { data } = await mailhatch.messages.list({ to, header: `Message-ID: ${messageId}` })
  return data.some((message) => message.to.toLowerCase() === to.toLowerCase())
}

function isAt(address: string, domain: string): boolean {
  return address.toLowerCase().endsWith(`@${domain.toLowerCase()}`)
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / KIB)
}
