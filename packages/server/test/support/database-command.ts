import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { runToExit } from './in-process.ts'
import { keepOutput, loggingOfRun, madeSecretSettings } from './made-secrets.ts'

const MAILHATCH = fileURLToPath(new URL('../../bin/mailhatch.js', import.meta.url))

/** Starts `mailhatch db <words>`, which may take long. Killed if the test ends first. */
export function startDatabaseCommand(words: string[], environment: Record<string, string> = {}) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [MAILHATCH, 'db', ...words], {
    cwd: tmpdir(),
    env: { PATH, ...loggingOfRun(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  madeSecretSettings(environment)
  keepOutput(child)
  const output = { stdout: '', stderr: '' }
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
    for (const look of waiting) look()
  })
  const closed = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await closed
  }
  onTestFinished(kill)
  return {
    kill,
    ended: closed.then(() => ({ code: child.exitCode, ...output })),
    /** Resolves when this appears on standard error. */
    whenSaid: (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        waiting.add(() => {
          if (pattern.test(output.stderr)) resolve()
        })
        void closed.then(() => reject(new Error(`ended without ${pattern.source}: ${output.stderr}`)))
      }),
  }
}

/** Runs `mailhatch db <words>` to its end, in this process. A copy that is refused needs its own process, which ends its locks. */
export function runDatabaseCommand(words: string[], environment: Record<string, string> = {}) {
  return runToExit(['db', ...words], environment)
}
