import { MailhatchError, NotFoundError, type Email, type MessageFilter } from '@mailhatch/sdk'
import { Option, type Command } from 'commander'
import { clientOf, findConnection, withConnection, type Connection } from './connection.ts'
import { readDuration } from './duration.ts'
import { examples } from './examples.ts'
import { ageText } from './human.ts'
import { jsonFieldsOption } from './json-fields.ts'
import { filterOf, withFilter, type FilterOptions } from './message-filter.ts'
import { note } from './output.ts'
import { printEmail, printOption, type PrintOptions } from './print-part.ts'
import { untilStopped } from './stop-signal.ts'

/** Time limit of the first request, on top of that of the wait. */
const ANSWER_MS_MAX = 5_000

type WaitOptions = FilterOptions & PrintOptions & { timeout: number; new?: boolean }

export function addWaitCommand(program: Command): void {
  const command = program
    .command('wait')
    .description(
      'Wait for a matching message and print it; of several, the newest. Without --new, --after or --since, a message that already exists counts, and a note says how old it is.',
    )
  withConnection(
    withFilter(command)
      .addOption(
        new Option('--new', 'only mail that arrives after this command has started').conflicts(['after', 'since']),
      )
      .addOption(new Option('--timeout <time>', 'maximum time to wait').argParser(readDuration).default(30_000, '30s'))
      .addOption(printOption())
      .addOption(jsonFieldsOption('detail')),
  )
    .addHelpText(
      'after',
      `\nOn timeout, the exit code is 3, and standard error lists what arrived instead and what was refused.
In a script, get an address and a cursor first (mailhatch address): --new misses mail that is sent before it starts.\n${examples(
        'eval "$(mailhatch address -o env)"; mailhatch send --to "$MAILHATCH_ADDRESS"; ' +
          'code=$(mailhatch wait --to "$MAILHATCH_ADDRESS" --after "$MAILHATCH_CURSOR" --print code)',
        'mailhatch wait --new --mailbox qa --print code',
        'mailhatch wait --mailbox qa --since 10m --json id,subject',
      )}`,
    )
    .action((options: WaitOptions) =>
      untilStopped(async (signal) => {
        const connection = findConnection(command)
        const mailhatch = clientOf(connection)
        if (process.stderr.isTTY) console.error('Waiting for a message. Press Ctrl+C to stop.')
        const filter = filterOf(options)
        if (options.new) filter.after = (await mailhatch.me({ signal })).cursor
        const hasStart = filter.after !== undefined || filter.since !== undefined
        const existing = hasStart ? null : await findExisting(connection, filter, signal)
        const { timeout } = options
        const email = existing ?? (await mailhatch.messages.waitFor(filter, { timeout, signal }))
        await printEmail(mailhatch, email, options)
        if (existing !== null) noteAge(existing)
      }),
    )
}

/** A message from before the call. The wait finds what arrives after this request. */
async function findExisting(connection: Connection, filter: MessageFilter, signal: AbortSignal): Promise<Email | null> {
  try {
    // Without retries, because the wait has its own.
    return await clientOf(connection, { retries: 0 }).messages.latest(filter, { timeout: ANSWER_MS_MAX, signal })
  } catch (error) {
    // During an outage, such as a restart, the wait tries again until its time is over.
    if (error instanceof NotFoundError || isOutage(error)) return null
    throw error
  }
}

function noteAge({ receivedAt }: Email): void {
  const age = ageText(Date.now() - Date.parse(receivedAt))
  const message = `This message already existed: it is ${age} old. For mail that arrives from now on, add --new.`
  note({ code: 'message_existed', message, receivedAt })
}

function isOutage(error: unknown): boolean {
  return error instanceof MailhatchError && (error.status === 0 || error.status === 429 || error.status >= 500)
}
