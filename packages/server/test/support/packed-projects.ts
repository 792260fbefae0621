import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, onTestFinished, vi } from 'vitest'
import { REPOSITORY } from './markdown.ts'

const run = promisify(execFile)
const PACKAGE = `node-linux-${process.arch}`
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
/** Where the network has its own certificates, npm retries for over a minute without them. */
const CERTIFICATES = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[0] === 'NODE_EXTRA_CA_CERTS'),
)
/** The first start on an older Node installs a newer one. */
const START = { timeout: 10 * 60_000 }

export type PackedProject = Awaited<ReturnType<Awaited<ReturnType<typeof packAll>>>>

/** Builds and packs both packages. The result installs them in an empty folder, with this Node and no other. */
export async function packAll() {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-packed-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const options = { cwd: REPOSITORY }
  await run('npm', ['run', 'build'], options)
  await run('npm', ['pack', '--pack-destination', folder, '-w', '@mailhatch/sdk', '-w', 'mailhatch'], options)
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const npm = dirname((await run('sh', ['-c', 'command -v npm'])).stdout.trim())

  return async (version: string) => {
    const prefix = join(folder, `node-${version}`)
    await run('npm', ['install', ...QUIET, '--prefix', prefix, `${PACKAGE}@${version}`])
    const project = join(folder, `project-${version}`)
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "private": true }')
    const env: Record<string, string> = {
      PATH: `${join(prefix, 'node_modules', PACKAGE, 'bin')}:${npm}:/usr/bin:/bin`,
      HOME: process.env['HOME'] ?? '',
      XDG_CACHE_HOME: join(project, 'cache'),
      ...CERTIFICATES,
    }
    await run('npm', ['install', ...QUIET, ...tarballs.map((name) => `../${name}`)], { cwd: project, env })
    return {
      folder: project,
      /** Finds this Node, and no newer one of the checkout. */
      env,
      /** A command as a user types it, to its end. */
      run: (words: string[]) => run('npx', ['mailhatch', ...words], { cwd: project, env }),
      start: (words: string[], settings: Record<string, string> = {}) => start(words, project, { ...env, ...settings }),
    }
  }
}

/** `npx mailhatch <words>` on free ports, when it is ready. */
async function start(words: string[], cwd: string, env: Record<string, string>) {
  const child = spawn('npx', ['mailhatch', ...words, '--port', '0', '--smtp-port', '0'], {
    cwd,
    env: { WORKER_PORT: '0', DISK_FREE_MIN: '0', LOG_LEVEL: 'error', METRICS: 'on', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGTERM'))
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  await vi.waitFor(() => {
    if (!printed.includes('Mailhatch is ready') && child.exitCode === null) throw new Error(`not ready: ${printed}`)
  }, START)
  const url = /API\s+(http:\S+)/.exec(printed)![1]!
  return {
    child,
    url,
    printed: () => printed,
    smtpPort: Number(/SMTP\s+\S+:(\d+)/.exec(printed)![1]),
    isUp: () =>
      fetch(`${url}/health`).then(
        () => true,
        () => false,
      ),
    /** How many waits the server holds. */
    waits: async () => {
      const metrics = await (await fetch(`${url}/metrics`)).text()
      return Number(/^mailhatch_waits_held (\d+)$/m.exec(metrics)![1])
    },
  }
}
