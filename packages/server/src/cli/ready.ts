import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionError, Mailhatch } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { AppError } from '../domain/errors.ts'
import { findConnection, withConnection } from './connection.ts'
import { readDuration } from './duration.ts'
import { examples } from './examples.ts'
import { print, type JsonOption } from './output.ts'
import { untilStopped } from './stop-signal.ts'

const LOOK_EVERY_MS = 250
/** A server that does not answer in this time is asked again. */
const ANSWER_MS_MAX = 5_000

type ReadyOptions = JsonOption & { wait?: number }

export function addReadyCommand(program: Command): void {
  const command = program
    .command('ready')
    .description('Say whether the server can take mail in and hand it out; needs no key.')
    .option('--wait <time>', 'wait until it can, so long at most', readDuration)
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

/** Throws with what is in the way once the time is over. */
async function untilReady(url: string, { waitMs, signal }: { waitMs: number; signal: AbortSignal }): Promise<void> {
  const mailhatch = new Mailhatch({ url, retries: 0, timeout: ANSWER_MS_MAX })
  const deadline = performance.now() + waitMs
  for (;;) {
    const trouble = await troubleOf(mailhatch, signal)
    if (trouble === null) return
    if (performance.now() >= deadline) throw trouble
    await pause(LOOK_EVERY_MS, undefined, { signal })
  }
}

async function troubleOf(mailhatch: Mailhatch, signal: AbortSignal): Promise<Error | null> {
  try {
    const { status, troubles } = await mailhatch.ready({ signal })
    if (status === 'ready') return null
    return new AppError('server_busy', `${mailhatch.url} is not ready: ${troubles.join(', ')}.`)
  } catch (error) {
    if (error instanceof ConnectionError) return error
    throw error
  }
}
