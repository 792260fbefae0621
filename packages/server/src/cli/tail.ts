import type { Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { readCount } from './count.ts'
import { examples } from './examples.ts'
import { jsonFieldsOption } from './json-fields.ts'
import { filterOf, withFilter, type FilterOptions } from './message-filter.ts'
import { messageLine } from './message-lines.ts'
import { printJson, wantsJson, type JsonOption } from './output.ts'
import { untilStopped } from './stop-signal.ts'

type TailOptions = FilterOptions & JsonOption & { count?: number }

export function addTailCommand(program: Command): void {
  const command = program.command('tail').description('Show new messages as they arrive, one per line.')
  withConnection(
    withFilter(command)
      .option('--count <n>', 'stop after this many messages', readCount)
      .addOption(jsonFieldsOption('summary', 'print one JSON object per line')),
  )
    .addHelpText(
      'after',
      examples('mailhatch tail --mailbox qa', 'mailhatch tail --since 10m --subject code --count 1 --json id,subject'),
    )
    .action((options: TailOptions) =>
      untilStopped(async (signal) => {
        let left = options.count ?? Infinity
        for await (const message of connect(command).messages.stream(filterOf(options), { signal })) {
          if (wantsJson(options)) printJson(message, options)
          else console.log(messageLine(message))
          if (--left === 0) return
        }
      }),
    )
}
