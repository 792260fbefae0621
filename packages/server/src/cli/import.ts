import { Option, type Command } from 'commander'
import { clientOf, findConnection, withSmtp } from './connection.ts'
import { countOf } from './count-of.ts'
import { examples } from './examples.ts'
import { EXIT } from './failure.ts'
import type { ImportResult } from './import/import-all.ts'
import type { ImportChoices } from './import/import-mail.ts'
import { KINDS, type Kind } from './import/kinds.ts'
import { print, type JsonOption } from './output.ts'
import { openSmtp, readAddress } from './smtp.ts'

type ImportOptions = JsonOption & ImportChoices & { from?: Kind }

export function addImportCommand(program: Command): void {
  const command = program
    .command('import <path...>')
    .description(
      'Send mail from the stores of Mailpit, MailHog and MailDev, maildirs, mbox and .eml files to the server. Skips mail that it already has.',
    )
    .addOption(new Option('--from <kind>', 'kind of the store (default: recognised from its files)').choices(KINDS))
    .option('--to <address>', 'recipient (default: the recipients whose mail the team receives)', readAddress)
    .option('--duplicates', 'also send mail that the server already has')
    .option('--dry-run', 'send nothing; only count what would be sent')
    .option('--json', 'print JSON')
  withSmtp(command)
    .addHelpText(
      'after',
      `\nDuplicates have the same recipient and the same bytes, apart from line ends. An interrupted import can be repeated.\n${examples(
        'mailhatch import mail.eml --to qa@mailhatch.test',
        'mailhatch import mails archive.mbox --to qa+archive@mailhatch.test',
        'mailhatch import mailpit.db --from mailpit --dry-run',
      )}`,
    )
    .action(async (paths: string[], options: ImportOptions) => {
      const result = await importPaths(command, paths, options)
      print(options.dryRun ? { ...result, dryRun: true } : result, linesOf(result, options), options)
      if (result.failed > 0) process.exitCode = EXIT.failure
    })
}

/** Loads what reads mail on demand: most commands read none from files. */
async function importPaths(command: Command, paths: string[], options: ImportOptions): Promise<ImportResult> {
  const { findMailFiles } = await import('./import/mail-files.ts')
  const { findKnownMail } = await import('./import/known-mail.ts')
  const { createReceiving, requireReceived } = await import('./import/receiving.ts')
  const { untilVisible } = await import('./import/until-visible.ts')
  const { importAll, AT_ONCE } = await import('./import/import-all.ts')
  const found = findMailFiles(paths, options.from ?? null)
  const connection = findConnection(command)
  const mailhatch = clientOf(connection)
  const { team, key, messageCount: before } = await mailhatch.me()
  const { domain } = team
  if (options.to !== undefined) await requireReceived(mailhatch, options.to)
  const known = await findKnownMail(mailhatch)
  const smtp = await openSmtp(connection.smtp.value, AT_ONCE)
  const ports = { smtp, known, domain, isReceived: createReceiving(mailhatch, domain) }
  const { result, sent } = await importAll(ports, found, options).finally(smtp.close)
  // Other keys do not see all that was sent.
  if (sent > 0 && key.mailbox === null) await untilVisible(mailhatch, { before, sent })
  return result
}

function linesOf({ imported, duplicates, failed, problems }: ImportResult, { dryRun }: ImportOptions): string[] {
  const counts = `${imported} imported, ${countOf(duplicates, 'duplicate')} skipped, ${failed} failed.`
  const unlisted = failed - problems.length
  return [
    dryRun ? `Nothing was sent. Without --dry-run: ${counts}` : counts,
    ...problems,
    ...(unlisted > 0 ? [`… and ${unlisted} more.`] : []),
  ]
}
