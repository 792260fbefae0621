import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** A start takes a second; one that hangs should say so. */
const START_MS_MAX = 30_000
/** Only the end of what a program says is of use. */
const OUTPUT_CHARACTERS_MAX = 20_000

type Options = {
  environment?: Record<string, string>
  cwd: string
  uid?: number
  /** What it says when it is ready. */
  readyWhen: RegExp
}

/** A program of others beside ours; killed when the test is over. */
export async function startBackgroundProgram(
  [command, ...words]: [string, ...string[]],
  { environment = {}, cwd, uid, readyWhen }: Options,
): Promise<{ output(): string; stop(): Promise<void> }> {
  const child = spawn(command, words, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  const gone = once(child, 'exit')
  let output = ''
  const isReady = new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error(`${command} does not start: ${output}`))
    const timer = setTimeout(fail, START_MS_MAX)
    void gone.then(fail)
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        output = (output + text.toString()).slice(-OUTPUT_CHARACTERS_MAX)
        if (!readyWhen.test(output)) return
        clearTimeout(timer)
        resolve()
      })
    }
  })
  const stop = async () => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(stop)
  await isReady
  return { output: () => output, stop }
}
