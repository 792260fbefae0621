import type { SmtpAttempt } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { readCount } from './count.ts'
import { examples } from './examples.ts'
import { clockText } from './human.ts'
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
      const { attempts: api } = connect(command)
      const attempts: SmtpAttempt[] = []
      for (let hasMore = true; hasMore && attempts.length < limit;) {
        const page = await api.list({
          to: address,
          limit: Math.min(limit - attempts.length, PAGE_MAX),
          ...(after !== undefined && { after }),
          ...(attempts.length > 0 && { after_id: attempts.at(-1)!.id }),
        })
        attempts.push(...page.data)
        hasMore = page.has_more
      }
      const lines = attempts.length > 0 ? tableLines(attempts.map(cellsOf)) : [`No attempts for ${address}.`]
      print(attempts, lines, options)
    })
}

function cellsOf({ startedAt, to, from, outcome, stage, replies }: SmtpAttempt): string[] {
  const reply = replies.at(-1)
  return [
    clockText(startedAt),
    to,
    `${outcome} at ${stage}`,
    reply ? `${reply.code} ${reply.text}` : '',
    `from ${from || '<>'}`,
  ]
}
