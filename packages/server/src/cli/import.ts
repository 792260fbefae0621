import type { Command } from 'commander'
import { clientOf, findConnection, withSmtp } from './connection.ts'
import { countOf } from './count-of.ts'
import { examples } from './examples.ts'
import { EXIT, SmtpRefusal } from './failure.ts'
import { findKnownMail, withCrlf, type KnownMail } from './known-mail.ts'
import { readEnvelope } from './mail-envelope.ts'
import { findMailFiles, readMails, type MailFile, type StoredMail } from './mail-files.ts'
import { print, type JsonOption } from './output.ts'
import { createProgress } from './progress.ts'
import { openSmtp, readAddress, type SmtpSender } from './smtp.ts'

const KIB = 1_024
/** How many messages are sent in parallel. The server syncs them to disk together. */
const AT_ONCE = 8

type ImportOptions = JsonOption & { to?: string; duplicates?: boolean }
type Outcome = 'imported' | 'duplicate' | { problem: string }
type Ports = { smtp: SmtpSender; known: KnownMail; domain: string }

export function addImportCommand(program: Command): void {
  const command = program
    .command('import <path...>')
    .description('Send mail from .eml files, folders or mbox files to the server. Skips mail that it already has.')
    .option('--to <address>', 'recipient (default: the recipient on the team’s domain)', readAddress)
    .option('--duplicates', 'also send mail that the server already has')
    .option('--json', 'print JSON')
  withSmtp(command)
    .addHelpText(
      'after',
      `\nDuplicates have the same recipient and the same bytes, apart from line ends. An interrupted import can be repeated.\n${examples(
        'mailhatch import mail.eml --to qa@mailhatch.test',
        'mailhatch import mails archive.mbox --to qa+archive@mailhatch.test',
      )}`,
    )
    .action(async (paths: string[], options: ImportOptions) => {
      const files = findMailFiles(paths)
      const connection = findConnection(command)
      const mailhatch = clientOf(connection)
      const { team } = await mailhatch.me()
      const known = await findKnownMail(mailhatch)
      const smtp = await openSmtp(connection.smtp.value, AT_ONCE)
      const result = await importAll({ smtp, known, domain: team.domain }, files, options).finally(smtp.close)
      const { imported, duplicates, problems } = result
      print(
        result,
        [`${imported} imported, ${countOf(duplicates, 'duplicate')} skipped, ${problems.length} failed.`, ...problems],
        options,
      )
      if (problems.length > 0) process.exitCode = EXIT.failure
    })
}

async function importAll(ports: Ports, files: MailFile[], options: ImportOptions) {
  const progress = createProgress()
  const total = kilobytes(files.reduce((sum, { bytes }) => sum + bytes, 0))
  const result = { imported: 0, duplicates: 0, problems: [] as string[] }
  let doneBytes = 0
  const take = async (mails: StoredMail[]) => {
    const outcomes = await Promise.all(mails.map((mail) => importMail(ports, mail, options)))
    for (const [index, outcome] of outcomes.entries()) {
      const { path, raw } = mails[index]!
      if (outcome === 'imported') result.imported += 1
      else if (outcome === 'duplicate') result.duplicates += 1
      else result.problems.push(`${path}: ${outcome.problem}`)
      doneBytes += raw.byteLength
    }
    progress.show({ label: 'importing kB', done: Math.min(total, kilobytes(doneBytes)), total })
  }
  try {
    let mails: StoredMail[] = []
    for await (const mail of readMails(files)) {
      mails.push(mail)
      if (mails.length < AT_ONCE) continue
      await take(mails)
      mails = []
    }
    await take(mails)
  } finally {
    progress.end()
  }
  return result
}

async function importMail({ smtp, known, domain }: Ports, mail: StoredMail, options: ImportOptions): Promise<Outcome> {
  const wantsAll = options.duplicates ?? false
  if (!wantsAll && options.to === undefined && known.hasExported(mail)) return 'duplicate'
  const { from, to: named } = await readEnvelope(mail.raw)
  const recipients =
    options.to === undefined ? recipientsAt(domain, mail.to === null ? named : [mail.to]) : [options.to]
  if (recipients.length === 0) return { problem: `no recipient at ${domain}; pass --to` }
  const stored = wantsAll ? [] : await Promise.all(recipients.map((to) => known.has({ ...mail, to })))
  const missing = recipients.filter((_, index) => !stored[index])
  if (missing.length === 0) return 'duplicate'
  try {
    const { rejected } = await smtp.send({ from, to: missing, raw: withCrlf(mail.raw) })
    return rejected.length === 0 ? 'imported' : { problem: `rejected for ${rejected.join(', ')}` }
  } catch (error) {
    if (error instanceof SmtpRefusal) return { problem: error.reply }
    throw error
  }
}

function recipientsAt(domain: string, addresses: string[]): string[] {
  return addresses.filter((address) => address.toLowerCase().endsWith(`@${domain.toLowerCase()}`))
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / KIB)
}
