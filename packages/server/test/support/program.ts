import { spawn, type ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { runHere } from './in-process.ts'
import { withDatabase } from './journey-database.ts'
import { keepOutput, loggingOfRun, madeSecretSettings } from './made-secrets.ts'

const MAILHATCH = fileURLToPath(new URL('../../bin/mailhatch.js', import.meta.url))

/** A command takes a second, on a busy machine ten. One that does not end must not outlive its test. */
const RUN_MS_MAX = 120_000

type Environment = Record<string, string>
type Ended = { code: number | null; stdout: string; stderr: string }

/** Runs `mailhatch <words>` to its end. The code is null if it had to be killed. */
export async function run(words: string[], environment: Environment = {}): Promise<Ended> {
  const { child, ended } = launch(words, await withDatabase(environment))
  const deadline = setTimeout(() => child.kill('SIGKILL'), RUN_MS_MAX)
  return ended.finally(() => clearTimeout(deadline))
}

/** Runs a command that must succeed and prints JSON, in this process. */
export async function runForJson<Printed>(words: string[], environment: Environment): Promise<Printed> {
  // The command's own format; a wrong one fails the test that reads it.
  return JSON.parse(await runHere(words, await withDatabase(environment))) as Printed
}

/** Runs a server that must not start, on free ports, so that only the tested setting stops it. */
export async function runServe(environment: Environment): Promise<Ended> {
  return run(['serve'], { PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', ...environment })
}

/** The one sentence that a program ended with. Neither success nor a stack trace is accepted. */
export function sentenceOf({ code, stdout, stderr }: Ended): string {
  // A null code means that it went on running.
  expect([0, null]).not.toContain(code)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^[^\n]*[A-Z][^\n]*[a-z]\.[^\n]*\n$/)
  expect(stderr).not.toContain(' at file:')
  return stderr
}

/** Starts a server on free ports and resolves when it is ready. Stopped when the test ends. */
export async function startProgram(name: 'serve' | 'api', environment: Environment, flags: string[] = []) {
  const { child, output, ended } = launch([name, ...flags], {
    PORT: '0',
    WORKER_PORT: '0',
    SMTP_PORT: '0',
    DISK_FREE_MIN: '0',
    ...(await withDatabase(environment)),
  })
  const stop = async (): Promise<Ended> => {
    child.kill('SIGTERM')
    return ended
  }
  onTestFinished(async () => {
    await stop()
  })
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const port = /API\s+http:\/\/localhost:(\d+)/.exec(output.stdout)?.[1]
      if (port) resolve(`http://127.0.0.1:${port}`)
    }
    child.stdout!.on('data', look)
    void ended.then(({ code, stderr }) => reject(new Error(`${name} ended with ${code}: ${stderr}`)))
  })
  return { url, output, ended, stop }
}

function launch(words: string[], environment: Environment) {
  const { PATH = '' } = process.env
  // Nothing of the tester's own environment or .env file may leak into the program.
  const child: ChildProcess = spawn(process.execPath, [MAILHATCH, ...words], {
    cwd: tmpdir(),
    env: { PATH, ...loggingOfRun(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  madeSecretSettings(environment)
  keepOutput(child)
  const output = { stdout: '', stderr: '' }
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...output }))
  })
  return { child, output, ended }
}
