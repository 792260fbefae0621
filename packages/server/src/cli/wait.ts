import { Option, type Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { readDuration } from './duration.ts'
import { examples } from './examples.ts'
import { filterOf, withFilter, type FilterOptions } from './message-filter.ts'
import { printEmail, printOption, type PrintOptions } from './print-part.ts'
import { untilStopped } from './stop-signal.ts'

type WaitOptions = FilterOptions & PrintOptions & { timeout: number }

export function addWaitCommand(program: Command): void {
  const command = program
    .command('wait')
    .description('Wait for a matching message and print it. A message that already exists counts; the newest one wins.')
  withConnection(
    withFilter(command)
      .addOption(new Option('--timeout <time>', 'maximum time to wait').argParser(readDuration).default(30_000, '30s'))
      .addOption(printOption())
      .option('--json [fields]', 'print JSON, optionally only these fields'),
  )
    .addHelpText(
      'after',
      `\nOn timeout, the exit code is 3, and standard error lists what arrived instead.\n${examples(
        'mailhatch wait --mailbox qa --subject "Your code" --timeout 30s --print code',
        'code=$(mailhatch wait --to qa+signup --print code)',
        'mailhatch wait --mailbox qa --since 10m --json id,subject',
      )}`,
    )
    .action((options: WaitOptions) =>
      untilStopped(async (signal) => {
        const mailhatch = connect(command)
        if (process.stderr.isTTY) console.error('Waiting for a message. Press Ctrl+C to stop.')
        const email = await mailhatch.messages.waitFor(filterOf(options), { timeout: options.timeout, signal })
        await printEmail(mailhatch, email, options)
      }),
    )
}
