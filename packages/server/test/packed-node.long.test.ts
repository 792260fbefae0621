import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Mailhatch } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')
const PACKAGE = `node-linux-${process.arch}`
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

const folder = mkdtempSync(join(tmpdir(), 'mailhatch-packed-node-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeAll(async () => {
  await run('npm', ['run', 'build'], { cwd: ROOT })
  await run('npm', ['pack', '--pack-destination', folder, '-w', '@mailhatch/sdk', '-w', 'mailhatch'], { cwd: ROOT })
})

/** A folder with this Node and npm in its path, and nothing else. */
async function installNode(version: string) {
  const prefix = join(folder, version)
  await run('npm', ['install', ...QUIET, '--prefix', prefix, `${PACKAGE}@${version}`])
  return join(prefix, 'node_modules', PACKAGE, 'bin')
}

test.each(['20.20.2', '22'])(
  'on Node %s alone, npx mailhatch --catch-all from the tarballs catches a mail',
  async (version) => {
    const bin = await installNode(version)
    const npm = dirname((await run('sh', ['-c', 'command -v npm'])).stdout.trim())
    const project = join(folder, `project-${version}`)
    const env = {
      PATH: `${bin}:${npm}:/usr/bin:/bin`,
      HOME: process.env['HOME'] ?? '',
      XDG_CACHE_HOME: join(project, 'cache'),
    }
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "private": true }')
    const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    await run('npm', ['install', ...QUIET, ...tarballs.map((name) => `../${name}`)], { cwd: project, env })
    // The scripts of the project still run on its own Node.
    expect(readdirSync(join(project, 'node_modules/.bin'))).not.toContain('node')

    const words = ['mailhatch', '--catch-all', '--port', '0', '--smtp-port', '0']
    const settings = {
      WORKER_PORT: '0',
      DISK_FREE_MIN: '0',
      LOG_LEVEL: 'error',
      DATABASE_URL: 'postgres://app@localhost/app',
    }
    const child = spawn('npx', words, {
      cwd: project,
      env: { ...env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    // Includes the processes that npx starts.
    onTestFinished(() => void process.kill(-child.pid!, 'SIGTERM'))
    let printed = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      printed += chunk
      if (printed.includes('curl')) break
    }
    expect(printed).toContain('DATABASE_URL was left alone')
    const sdk = new Mailhatch({
      url: /API\s+(http:\S+)/.exec(printed)![1]!,
      apiKey: /API key\s+(\S+)/.exec(printed)![1]!,
    })
    const transport = createTransport({ host: '127.0.0.1', port: Number(/SMTP\s+\S+:(\d+)/.exec(printed)![1]) })
    await transport.sendMail({
      from: 'app@shop.example',
      to: 'anna@gmail.com',
      subject: 'Hello',
      text: 'Your code is 482913.',
    })
    expect((await sdk.messages.waitFor({ mailbox: 'anna' })).codes[0]!.value).toBe('482913')
  },
)
