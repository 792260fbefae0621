import { MessageTimeoutError, NotSettledError, type Mailhatch, type Settled, type SettledState } from '@mailhatch/sdk'
import { Option, type Command } from 'commander'
import { AppError } from '../domain/errors.ts'
import { connect, withConnection } from './connection.ts'
import { countOf } from './count-of.ts'
import { readCountUpTo } from './count.ts'
import { readDuration, readDurationUpTo } from './duration.ts'
import { examples } from './examples.ts'
import { durationText } from './human.ts'
import { messageTable } from './message-lines.ts'
import { print, type JsonOption } from './output.ts'
import { untilStopped } from './stop-signal.ts'
import { TooFewMessages, TooManyMessages } from './unexpected-count.ts'

/** What the server counts exactly. */
const EXPECTED_MAX = 2_000
/** Time for the answer of the server, on top of the quiet time. */
const ANSWER_MS = 1_000

type Timing = { quiet: number; timeout: number }
type SettledCommandOptions = JsonOption & Timing & { after?: string; expect?: number }
type Awaited = Timing & { mailbox: string; after?: string; signal: AbortSignal }

export function addSettledCommand(program: Command): void {
  const command = program
    .command('settled <address>')
    .description(
      'Wait until all mail for an address has arrived: none is on its way through the server, and none came for a while. Then print what came.',
    )
    .option('--after <cursor>', 'count only messages that arrived after this cursor')
    .option('--expect <n>', 'wait for so many messages, and fail if more come', readCountUpTo(EXPECTED_MAX, 0))
    .addOption(
      new Option('--quiet <time>', 'how long nothing must come, at most 20s; longer than your app takes to send')
        .argParser(readDurationUpTo('20s'))
        .default(500, '500ms'),
    )
    .addOption(new Option('--timeout <time>', 'maximum time to wait').argParser(readDuration).default(30_000, '30s'))
    .option('--json', 'print JSON')
  withConnection(command)
    .addHelpText(
      'after',
      `\nThe exit code is 3 if mail is still on its way at the end of the time, or fewer messages came than expected, and 1 if more came.\n${examples(
        'eval "$(mailhatch address -o env)"; mailhatch send --to "$MAILHATCH_ADDRESS"; ' +
          'mailhatch settled "$MAILHATCH_ADDRESS" --after "$MAILHATCH_CURSOR" --expect 1',
        'mailhatch settled qa+signup@mailhatch.test --quiet 2s --timeout 1m',
      )}`,
    )
    .action((address: string, { after, expect, quiet, timeout, ...options }: SettledCommandOptions) =>
      untilStopped(async (signal) => {
        if (timeout <= quiet) throw new AppError('validation_failed', '--timeout must be longer than --quiet.')
        const wanted = { mailbox: address, quiet, timeout, signal, ...(after !== undefined && { after }) }
        const mailhatch = connect(command)
        const state =
          expect === undefined ? await settle(mailhatch, wanted) : await settleWith(expect, mailhatch, wanted)
        const count = `${state.isExact ? '' : 'more than '}${countOf(state.count, 'message')}`
        const lines = [`All mail for ${address} has arrived: ${count}.`, ...messageTable(state.messages)]
        print(state, lines, options)
      }),
    )
}

function settle(mailhatch: Mailhatch, { quiet, timeout, signal, ...query }: Awaited): Promise<Settled> {
  return mailhatch.messages.waitUntilSettled(query, { quiet, timeout, signal })
}

/** The same, but not before so many messages came. Throws if there are more. */
async function settleWith(expected: number, mailhatch: Mailhatch, wanted: Awaited): Promise<Settled> {
  const { mailbox, quiet, timeout, signal } = wanted
  const endsAt = performance.now() + timeout
  const expectation = countOf(expected, 'message')
  const notSettled = (state: SettledState, cause: unknown) =>
    new NotSettledError({ address: mailbox, timeoutMs: timeout, state, expectation, cause })
  for (let settlingMs = timeout; ; settlingMs = Math.max(endsAt - performance.now(), quiet + ANSWER_MS)) {
    const state = await settle(mailhatch, { ...wanted, timeout: settlingMs }).catch((error: unknown) => {
      // In the words of the command line: with its timeout.
      throw error instanceof NotSettledError && error.state ? notSettled(error.state, error.cause) : error
    })
    if (state.count === expected) return state
    if (state.count > expected) throw new TooManyMessages(`exactly ${countOf(expected, 'message')}`, state.messages)
    await mailhatch.messages
      .waitFor({ mailbox, after: state.cursor }, { timeout: Math.max(0, endsAt - performance.now()), signal })
      .catch((error: unknown) => {
        if (!(error instanceof MessageTimeoutError)) throw error
        const { state: later } = error
        if (later?.settled === false) {
          const messages = [...state.messages, ...later.messages]
          throw notSettled({ ...later, count: state.count + later.count, messages }, error.cause)
        }
        throw new TooFewMessages(`${expectation} within ${durationText(timeout)}`, state.messages, error)
      })
  }
}
