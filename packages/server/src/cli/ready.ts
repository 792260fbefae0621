import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionError, Mailhatch } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { AppError } from '../domain/errors.ts'
import { findConnection, withConnection } from './connection.ts'
import { readDuration } from './duration.ts'
import { examples } from './examples.ts'
import { print, type JsonOption } from './output.ts'
import { untilStopped } from './stop-signal.ts'

const POLL_MS = 250
/** Time limit of one request. */
const ANSWER_MS_MAX = 5_000

type ReadyOptions = JsonOption & { wait?: number }

export function addReadyCommand(program: Command): void {
  const command = program
    .command('ready')
    .description('Check whether the server can accept and serve mail. Needs no key.')
    .option('--wait <time>', 'wait up to this long until it is ready', readDuration)
    .option('--json', 'print JSON')
  withConnection(command)
    .addHelpText('after', examples('mailhatch ready --wait 30s'))
    .action((options: ReadyOptions) =>
      untilStopped(async (signal) => {
        const { value: url } = findConnection(command).url
        await untilReady(url, { waitMs: options.wait ?? 0, signal })
        print({ url, status: 'ready' }, [`${url} is ready.`], options)
      }),
    )
}

/** Throws the last problem when the time is over. */
async function untilReady(url: string, { waitMs, signal }: { waitMs: number; signal: AbortSignal }): Promise<void> {
  const mailhatch = new Mailhatch({ url, retries: 0, timeout: ANSWER_MS_MAX })
  const deadline = performance.now() + waitMs
  for (;;) {
    const problem = await findProblem(mailhatch, signal)
    if (problem === null) return
    if (performance.now() >= deadline) throw problem
    await pause(POLL_MS, undefined, { signal })
  }
}

async function findProblem(mailhatch: Mailhatch, signal: AbortSignal): Promise<Error | null> {
  try {
    const { status, troubles } = await mailhatch.ready({ signal })
    if (status === 'ready') return null
    return new AppError('server_busy', `${mailhatch.url} is not ready: ${troubles.join(', ')}.`)
  } catch (error) {
    if (error instanceof ConnectionError) return error
    throw error
  }
}
