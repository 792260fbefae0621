import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { WhenOver } from './file-life.ts'
import { SECRET_KEY, withDatabase } from './journey-database.ts'
import { keepOutput, loggingOfRun, madeSecretSettings } from './made-secrets.ts'
import { WEBHOOK_SECRET } from './server.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/mailhatch.js', import.meta.url))
/** Fixed, so that it survives every restart. */
export const API_KEY = 'key-of-the-tests-that-outlives-restarts'
/** A start takes half a second. A server that hangs should fail with a message, not with a timeout. */
const START_MS_MAX = 120_000
/** Only the end of a child's error output is useful. */
const COMPLAINTS_CHARACTERS_MAX = 20_000
/** In a log. A line without a level is no log: a stack, for example. */
const LEVEL = /^\{"level":(\d+),/
const ERROR_LEVEL = 50

export type ChildOptions = {
  program?: 'serve' | 'api' | 'worker'
  /** The start file of another version. */
  startFile?: string
  environment: Record<string, string>
  /** A program that runs Node, such as a tracer. The spawned process must still be the server. */
  launcher?: string[]
  nodeArguments?: string[]
  /** When it is killed. By default when the test ends. */
  whenOver?: WhenOver
}

export type ChildServer = {
  process: ChildProcess
  /** Rejects with the child's output if it ends before it is ready. */
  ready: Promise<void>
  readonly apiUrl: string
  readonly smtpPort: number
  readonly workerUrl: string
  /** The end of its log, at the level that it was given or else of errors only. */
  complaints(): string
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>
  /** Stops it and resolves to its exit code. */
  stop(): Promise<number | null>
}

/** The product in its own process, on free ports by default. */
export function spawnServer({
  program = 'serve',
  startFile = PROGRAM,
  environment,
  launcher = [],
  nodeArguments = [],
  whenOver = onTestFinished,
}: ChildOptions) {
  const [command, ...given] = [...launcher, process.execPath, ...nodeArguments, startFile, program]
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc']
  const env = environmentOf(environment)
  const child = spawn(command, given, { cwd: tmpdir(), env, stdio })
  madeSecretSettings(env)
  // It has its key from the settings, so it prints none.
  keepOutput(child, { hasStdout: true })
  const gone = once(child, 'exit')
  let output = ''
  const complaintsOf = collectComplaints(child, 'LOG_LEVEL' in environment ? 0 : ERROR_LEVEL)
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The server does not get ready: ${complaintsOf()}`)), START_MS_MAX)
    void gone.finally(() => clearTimeout(timer))
    child.stdout!.on('data', (text: Buffer) => {
      output += text.toString()
      if (output.includes('Mailhatch is ready.') && output.endsWith('\n')) resolve()
    })
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`The server ended before it was ready: ${complaintsOf()}`)))
  })
  // A caller that kills it during start-up does not wait for this.
  ready.catch(() => {})

  function portBehind(label: RegExp): number {
    const port = label.exec(output)?.[1]
    if (port === undefined) throw new Error(`${program} has no ${label.source} in: ${output}`)
    return Number(port)
  }

  let isStopped = false
  child.on('exit', (code, signal) => {
    // Otherwise a test would only show that its connections fail.
    if (!isStopped) console.error(`${program} ended by itself: ${signal ?? `code ${code}`} ${complaintsOf()}`)
  })

  async function kill(): Promise<void> {
    isStopped = true
    child.kill('SIGKILL')
    await gone
  }
  whenOver(kill)

  const server: ChildServer = {
    process: child,
    ready,
    get apiUrl() {
      return `http://127.0.0.1:${portBehind(/API +http:\/\/localhost:(\d+)/)}`
    },
    get smtpPort() {
      return portBehind(/SMTP +\S+:(\d+)/)
    },
    get workerUrl() {
      return `http://127.0.0.1:${portBehind(/Worker +http:\/\/localhost:(\d+)/)}`
    },
    complaints: complaintsOf,
    kill,
    async stop() {
      isStopped = true
      child.kill('SIGTERM')
      await gone
      return child.exitCode
    },
  }
  return server
}

/** What it logs at this level or above, and what it prints besides its log. */
function collectComplaints({ stderr }: ChildProcess, level: number): () => string {
  let complaints = ''
  let unfinished = ''
  const isComplaint = (line: string) => Number(LEVEL.exec(line)?.[1] ?? Infinity) >= level
  stderr!.on('data', (text: Buffer) => {
    const lines = (unfinished + text.toString()).split('\n')
    unfinished = lines.pop()!
    for (const line of lines)
      if (isComplaint(line)) complaints = `${complaints}${line}\n`.slice(-COMPLAINTS_CHARACTERS_MAX)
  })
  return () => complaints + (isComplaint(unfinished) ? unfinished : '')
}

export async function startChild(options: ChildOptions): Promise<ChildServer> {
  const server = spawnServer({ ...options, environment: await withDatabase(options.environment) })
  await server.ready
  return server
}

/** Only the path of the test's environment, so that a developer's settings do not matter. */
function environmentOf(settings: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    PORT: '0',
    WORKER_PORT: '0',
    SMTP_PORT: '0',
    LOG_LEVEL: 'error',
    ...loggingOfRun(),
    BOOTSTRAP_API_KEY: API_KEY,
    INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET,
    MAILHATCH_SECRET_KEY: SECRET_KEY,
    DISK_FREE_MIN: '0',
    ...settings,
  }
}
