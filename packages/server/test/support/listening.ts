import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { keepOutput, loggingOfRun, madeSecretSettings } from './made-secrets.ts'

const MAILHATCH = fileURLToPath(new URL('../../bin/mailhatch.js', import.meta.url))

/** The JSON output of `mailhatch listen`. */
export type ListenLine = {
  type: string
  id?: string
  subject?: string
  status?: number | null
  secret?: string
  who?: string
}

/** `mailhatch listen` with more arguments, in its own process. Stopped when the test ends. */
export function startListen(words: string[], environment: Record<string, string> = {}) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [MAILHATCH, 'listen', ...words], {
    cwd: tmpdir(),
    env: { PATH, ...loggingOfRun(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  madeSecretSettings(environment)
  keepOutput(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...output }))
  })
  // The command's own format. The last line may be incomplete.
  const lines = () =>
    output.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as ListenLine)
  return {
    lines,
    ended,
    stop: (signal: NodeJS.Signals) => child.kill(signal),
    /** The first line of this type, and for this message if one is given. */
    async line(type: string, id?: string): Promise<ListenLine> {
      const find = () => lines().find((line) => line.type === type && (id === undefined || line.id === id))
      await expect.poll(find, { timeout: 20_000, message: `${type}: ${output.stderr}` }).toBeDefined()
      return find()!
    },
  }
}
