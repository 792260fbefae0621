import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** A start takes a second. A start that hangs should fail with a message. */
const START_MS_MAX = 120_000
/** Only the end of a program's output is useful. */
const OUTPUT_CHARACTERS_MAX = 20_000

type Options = {
  environment?: Record<string, string>
  cwd: string
  uid?: number
  /** Printed when the program is ready. */
  readyWhen: RegExp
}

/** An external program, killed when the test ends. */
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
