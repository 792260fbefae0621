import type { MessageSummary } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { readCount } from './count.ts'
import { examples } from './examples.ts'
import { filterOf, withFilter, type FilterOptions } from './message-filter.ts'
import { messageTable } from './message-lines.ts'
import { printJson, wantsJson, type JsonOption } from './output.ts'

/** The most that one request gives. */
const PAGE_MAX = 200

type ListOptions = FilterOptions & JsonOption & { limit: number }

export function addListCommand(program: Command): void {
  const command = program
    .command('list')
    .description('List messages, newest first; with --after, in the order they came.')
  withConnection(
    withFilter(command)
      .option('--limit <n>', 'how many at most', readCount, 50)
      .option('--json [fields]', 'print JSON, or only these fields of it'),
  )
    .addHelpText(
      'after',
      examples('mailhatch list --mailbox qa --since 1h', 'mailhatch list --limit 3 --json id,subject'),
    )
    .action(async (options: ListOptions) => {
      const { limit } = options
      const messages: MessageSummary[] = []
      const query = { ...filterOf(options), limit: Math.min(limit, PAGE_MAX) }
      for await (const message of connect(command).messages.list(query)) {
        messages.push(message)
        if (messages.length === limit) break
      }
      if (wantsJson(options)) return printJson(messages, options)
      console.log(messages.length === 0 ? 'There is no message.' : messageTable(messages).join('\n'))
    })
}
