import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { anything, checkOptions } from './options.ts'

/** Startup takes a second, longer on a busy machine. On an older Node, the first one downloads a newer Node, of 50 MB. */
const START_MS_MAX = 180_000
/** Mailhatch exits within 25 seconds of SIGTERM. */
const STOP_MS_MAX = 30_000
/** How much of standard error to keep for the error message. */
const STDERR_CHARACTERS_MAX = 5_000
/** Other variables are not inherited: PORT or DATABASE_URL may belong to the app under test. */
const INHERITED_VARIABLES = /^(?:PATH|HOME|TMPDIR|TEMP|TMP|SystemRoot)$/i
/** What npm needs to download a newer Node: proxy, certificates, registry, and the folder for it. */
const VARIABLES_OF_NPM =
  /^(?:https?_proxy|no_proxy|npm_config_.+|node_extra_ca_certs|ssl_cert_(?:file|dir)|xdg_cache_home)$/i
/** Stops the server when the parent process exits, even if it is killed. The channel must not keep the server alive. */
const END_WITH_PARENT =
  'data:text/javascript,' +
  "process.once('disconnect',()=>process.kill(process.pid,'SIGTERM'));" +
  'process.channel.unref()'

export type StartOptions = {
  /** Mailhatch settings, such as `{ SMTP_PORT: '2525' }`. By default, Mailhatch picks free ports. */
  settings?: Record<string, string>
}

export type RunningMailhatch = {
  /** For MAILHATCH_URL. */
  url: string
  /** For MAILHATCH_API_KEY. */
  apiKey: string
  /** The SMTP port on 127.0.0.1 for the app under test. */
  smtpPort: number
  /** Stops the server and deletes its data, unless DATA_DIR was set. */
  close(): Promise<void>
}

/**
 * Starts Mailhatch for a test run in a child process. Needs the package `mailhatch`.
 *
 * @example
 * const mailhatch = await startMailhatch()
 * process.env.MAILHATCH_URL = mailhatch.url
 * process.env.MAILHATCH_API_KEY = mailhatch.apiKey
 */
export async function startMailhatch(options: StartOptions = {}): Promise<RunningMailhatch> {
  const { settings = {} } = checkOptions('startMailhatch', options, { settings: anything })
  const program = findProgram()
  const given = settings['MAILHATCH_DATA_DIR'] ?? settings['DATA_DIR']
  const temporary = given === undefined ? await mkdtemp(join(tmpdir(), 'mailhatch-')) : null
  const dataDir = temporary ?? given!
  const child = spawn(process.execPath, [`--import=${END_WITH_PARENT}`, program, 'serve'], {
    env: {
      ...inherited(process.env),
      PORT: '0',
      WORKER_PORT: '0',
      SMTP_PORT: '0',
      LOG_LEVEL: 'error',
      DATA_DIR: dataDir,
      ...settings,
      ...withPrefix(settings),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= stop(child).then(() => (temporary === null ? undefined : remove(temporary))))
  try {
    const { apiPort, smtpPort } = await readPorts(child)
    const apiKey = (await readFile(join(dataDir, 'api-key'), 'utf8')).trim()
    detach(child)
    return { url: `http://127.0.0.1:${apiPort}`, apiKey, smtpPort, close }
  } catch (error) {
    await close()
    throw error
  }
}

function inherited(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isNeeded = (name: string) => INHERITED_VARIABLES.test(name) || VARIABLES_OF_NPM.test(name)
  return Object.fromEntries(Object.entries(variables).filter(([name]) => isNeeded(name)))
}

/** With their full names, because Mailhatch leaves names alone that may belong to the app, such as DATABASE_URL. */
function withPrefix(settings: Record<string, string>): Record<string, string> {
  const isPlain = (name: string) => !name.startsWith('MAILHATCH_') && settings[`MAILHATCH_${name}`] === undefined
  const plain = Object.entries(settings).filter(([name]) => isPlain(name))
  return Object.fromEntries(plain.map(([name, value]) => [`MAILHATCH_${name}`, value]))
}

function findProgram(): string {
  // `__filename` exists in the CommonJS build, `import.meta.url` in the ES module.
  const here = typeof __filename === 'undefined' ? import.meta.url : __filename
  try {
    return join(dirname(createRequire(here).resolve('mailhatch/package.json')), 'bin/mailhatch.js')
  } catch (error) {
    throw new Error('startMailhatch needs the package mailhatch: npm install --save-dev mailhatch', { cause: error })
  }
}

/** Resolves when the program is ready and has printed its ports. */
function readPorts(child: ChildProcess): Promise<{ apiPort: number; smtpPort: number }> {
  return new Promise((resolve, reject) => {
    let printed = ''
    let stderr = ''
    const fail = (why: string) => reject(new Error(`Mailhatch ${why}. ${stderr}`.trim()))
    const timer = setTimeout(() => fail(`was not ready within ${START_MS_MAX} ms`), START_MS_MAX)
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_CHARACTERS_MAX)
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

/** Ignores further output and lets this process exit without waiting for the child. */
function detach(child: ChildProcess): void {
  for (const output of [child.stdout!, child.stderr!]) {
    output.removeAllListeners('data')
    output.resume()
    // The pipe is a socket, but its type does not say so.
    ;(output as unknown as { unref(): void }).unref()
  }
  child.channel?.unref()
  child.unref()
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.ref()
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
  await exited
  clearTimeout(timer)
}

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })
