import type { SmtpAttempt } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { readCount } from './count.ts'
import { examples } from './examples.ts'
import { clockText, sizeText } from './human.ts'
import { jsonFieldsOption } from './json-fields.ts'
import { print, type JsonOption } from './output.ts'
import { tableLines } from './table.ts'

/** The server's maximum per request. */
const PAGE_MAX = 200

type AttemptsOptions = JsonOption & { limit: number; after?: string }

export function addAttemptsCommand(program: Command): void {
  const command = program
    .command('attempts <address>')
    .description(
      'List what senders tried for an address in the last day, newest first: also mail that was refused, cut off or given up. qa+tag or qa is enough.',
    )
    .option('--after <cursor>', 'without attempts that ended more than a minute before this cursor')
    .option('--limit <n>', 'maximum number of attempts', readCount, 50)
    .addOption(jsonFieldsOption('attempt'))
  withConnection(command)
    .addHelpText(
      'after',
      examples(
        'mailhatch attempts qa+retry@mailhatch.test',
        'mailhatch attempts qa+retry --json startedAt,outcome,replies',
      ),
    )
    .action(async (address: string, { limit, after, ...options }: AttemptsOptions) => {
      const mailhatch = connect(command)
      const attempts: SmtpAttempt[] = []
      const query = { to: address, limit: Math.min(limit, PAGE_MAX), ...(after !== undefined && { after }) }
      for await (const attempt of mailhatch.attempts.list(query)) {
        attempts.push(attempt)
        if (attempts.length === limit) break
      }
      // The list is empty for an address whose mail the team does not receive. This says so.
      if (attempts.length === 0) await mailhatch.messages.settled({ mailbox: address, quiet: 0, wait: 0 })
      const lines = attempts.length > 0 ? tableLines(attempts.map(cellsOf)) : [`No attempts for ${address}.`]
      print(attempts, lines, options)
    })
}

function cellsOf({ startedAt, to, from, outcome, stage, replies, size, messageId }: SmtpAttempt): string[] {
  const isStored = outcome !== 'accepted' && messageId !== null
  return [
    clockText(startedAt, { withMilliseconds: true }),
    to,
    `${outcome} at ${stage}${isStored ? ', but stored' : ''}`,
    repliesText(replies),
    size === 0 ? '' : sizeText(size),
    `from ${from || '<>'}`,
  ]
}

/** All codes, and the text of the last: `250, 354, 451 4.3.0 Try again`. */
function repliesText(replies: SmtpAttempt['replies']): string {
  const codes = replies.map(({ code }) => code).join(', ')
  return replies.length === 0 ? 'no reply' : `${codes} ${replies.at(-1)!.text}`
}
