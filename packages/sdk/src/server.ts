import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A start takes a second, on a busy machine some. */
const START_MS_MAX = 60_000
/** Mailhatch itself is gone by 25 seconds at the latest. */
const STOP_MS_MAX = 30_000
/** Of what the program complains about, the end says most. */
const COMPLAINTS_CHARACTERS_MAX = 5_000
/** Nothing else of the environment: the app under test may have a PORT or a DATABASE_URL of its own. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot']
/** The server ends with whoever started it, also when that is killed; the channel that tells must not keep it from ending. */
const END_WITH_PARENT =
  'data:text/javascript,' +
  "process.once('disconnect',()=>process.kill(process.pid,'SIGTERM'));" +
  'process.channel.unref()'

export type StartOptions = {
  /** Settings of Mailhatch, such as `{ SMTP_PORT: '2525' }`; ports are free ones unless told. */
  settings?: Record<string, string>
}

export type RunningMailhatch = {
  /** For MAILHATCH_URL. */
  url: string
  /** For MAILHATCH_API_KEY. */
  apiKey: string
  /** Where the app under test sends its mail, on 127.0.0.1. */
  smtpPort: number
  /** Stops it; its data is gone then, unless DATA_DIR was set. */
  close(): Promise<void>
}

/**
 * Starts Mailhatch for a test run, in a process of its own; needs the package `mailhatch`.
 *
 * @example
 * const mailhatch = await startMailhatch()
 * process.env.MAILHATCH_URL = mailhatch.url
 * process.env.MAILHATCH_API_KEY = mailhatch.apiKey
 */
export async function startMailhatch({ settings = {} }: StartOptions = {}): Promise<RunningMailhatch> {
  const program = findProgram()
  const temporary = settings['DATA_DIR'] === undefined ? await mkdtemp(join(tmpdir(), 'mailhatch-')) : null
  const dataDir = temporary ?? settings['DATA_DIR']!
  const child = spawn(process.execPath, [`--import=${END_WITH_PARENT}`, program, 'serve'], {
    env: {
      ...Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]])),
      PORT: '0',
      WORKER_PORT: '0',
      SMTP_PORT: '0',
      LOG_LEVEL: 'error',
      DATA_DIR: dataDir,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= stop(child).then(() => (temporary === null ? undefined : remove(temporary))))
  try {
    const { apiPort, smtpPort } = await readPorts(child)
    const apiKey = (await readFile(join(dataDir, 'api-key'), 'utf8')).trim()
    letGo(child)
    return { url: `http://127.0.0.1:${apiPort}`, apiKey, smtpPort, close }
  } catch (error) {
    await close()
    throw error
  }
}

function findProgram(): string {
  // As a CommonJS module it has the one name, as an ES module the other.
  const here = typeof __filename === 'undefined' ? import.meta.url : __filename
  try {
    return join(dirname(createRequire(here).resolve('mailhatch/package.json')), 'bin/mailhatch.js')
  } catch (error) {
    throw new Error('startMailhatch needs the package mailhatch: npm install --save-dev mailhatch', { cause: error })
  }
}

/** Resolves when the program says that it is ready; it prints its ports then. */
function readPorts(child: ChildProcess): Promise<{ apiPort: number; smtpPort: number }> {
  return new Promise((resolve, reject) => {
    let printed = ''
    let complaints = ''
    const fail = (why: string) => reject(new Error(`Mailhatch ${why}. ${complaints}`.trim()))
    const timer = setTimeout(() => fail(`was not ready within ${START_MS_MAX} ms`), START_MS_MAX)
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-COMPLAINTS_CHARACTERS_MAX)
    })
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const [, smtpPort, apiPort] = /SMTP +\S+:(\d+)\n +API +\S+:(\d+)\n/.exec(printed) ?? []
      if (apiPort === undefined) return
      clearTimeout(timer)
      resolve({ apiPort: Number(apiPort), smtpPort: Number(smtpPort) })
    })
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      fail('did not start')
    })
  })
}

/** From here on nobody listens; a run that is over need not wait for the server. */
function letGo(child: ChildProcess): void {
  for (const output of [child.stdout!, child.stderr!]) {
    output.removeAllListeners('data')
    output.resume()
    // A pipe to a child is a socket, which its type does not say.
    ;(output as unknown as { unref(): void }).unref()
  }
  child.channel?.unref()
  child.unref()
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.ref()
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
  await gone
  clearTimeout(timer)
}

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })
