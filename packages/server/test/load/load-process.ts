import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { preload } from '../support/preload.ts'
import type { LoadOptions, LoadReport } from './load.ts'

const PROGRAM = fileURLToPath(new URL('load-program.ts', import.meta.url))

export type LoadReply = { started: true } | { report: LoadReport } | { error: string }

/** The load in its own process, so that it does not delay the measurements of the test. `preloads` change the SDK. */
export async function startLoadProcess(options: LoadOptions, preloads: string[] = []) {
  const execArgv = ['--conditions=mailhatch-source', ...preload(...preloads)]
  // JSON would turn a figure that nothing was measured for into null.
  const child = fork(PROGRAM, { execArgv, serialization: 'advanced' })
  onTestFinished(() => void child.kill('SIGKILL'))

  async function ask(message: object): Promise<LoadReply> {
    const answer = once(child, 'message')
    const gone = once(child, 'exit').then(() => [{ error: 'The load process ended.' }])
    child.send(message)
    // The program sends one reply to each message.
    const [reply] = (await Promise.race([answer, gone])) as [LoadReply]
    if ('error' in reply) throw new Error(reply.error)
    return reply
  }

  await ask({ start: options })
  return {
    async stop(): Promise<LoadReport> {
      const reply = await ask({ stop: true })
      child.disconnect()
      if (!('report' in reply)) throw new Error('The load has no report.')
      return reply.report
    },
  }
}
