import type { MessageSummary } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { readCount } from './count.ts'
import { examples } from './examples.ts'
import { jsonFieldsOption } from './json-fields.ts'
import { filterOf, withFilter, type FilterOptions } from './message-filter.ts'
import { messageTable } from './message-lines.ts'
import { printJson, wantsJson, type JsonOption } from './output.ts'

/** The server's maximum per request. */
const PAGE_MAX = 200

type ListOptions = FilterOptions & JsonOption & { limit: number }

export function addListCommand(program: Command): void {
  const command = program.command('list').description('List messages, newest first. With --after, in order of arrival.')
  withConnection(
    withFilter(command)
      .option('--limit <n>', 'maximum number of messages', readCount, 50)
      .addOption(jsonFieldsOption('summary')),
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
      console.log(messages.length === 0 ? 'No messages.' : messageTable(messages).join('\n'))
    })
}
