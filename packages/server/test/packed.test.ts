import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Mailhatch } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { node20 } from '../../sdk/test/support/node-20.ts'
import { temporaryFolder } from './support/server.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')
const NPM = { cwd: ROOT, env: { ...process.env, npm_config_loglevel: 'error' } }
/** A build, and about 80 packages from the registry. */
const INSTALL_MS_MAX = 180_000

const folder = mkdtempSync(join(tmpdir(), 'mailhatch-packed-'))
const program = join(folder, 'node_modules/mailhatch')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The files that `npm install mailhatch @mailhatch/sdk` creates in an empty folder. */
beforeAll(async () => {
  await run('npm', ['run', 'build'], NPM)
  await run('npm', ['pack', '--pack-destination', folder, '-w', '@mailhatch/sdk', '-w', 'mailhatch'], NPM)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const options = ['--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', ['install', ...options, ...tarballs.map((name) => `./${name}`)], { ...NPM, cwd: folder })
}, INSTALL_MS_MAX)

/** Without the variables of this run and the binaries of this checkout. */
const environment = () => ({ PATH: process.env['PATH']!, HOME: process.env['HOME'] ?? '' })

test('the packed program runs without the source, and captures a mail', async () => {
  expect(readdirSync(program).sort()).toEqual(['bin', 'dist', 'package.json'])
  const child = spawn('npx', ['--no', 'mailhatch'], {
    cwd: folder,
    env: {
      ...environment(),
      PORT: '0',
      WORKER_PORT: '0',
      SMTP_PORT: '0',
      DISK_FREE_MIN: '0',
      LOG_LEVEL: 'error',
      DATA_DIR: temporaryFolder(),
    },
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
  const url = /API\s+(http:\S+)/.exec(printed)![1]!
  const smtpPort = /SMTP\s+\S+:(\d+)/.exec(printed)![1]!
  const sdk = new Mailhatch({ url, apiKey: /API key\s+(\S+)/.exec(printed)![1]! })
  const inbox = await sdk.addresses.create()
  const transport = createTransport({ host: '127.0.0.1', port: Number(smtpPort) })
  await transport.sendMail({
    from: 'a@shop.example',
    to: inbox.address,
    subject: 'Hello',
    text: 'Your code is 482913.',
  })
  expect((await inbox.waitFor({ subject: 'Hello' })).code()).toBe('482913')
})

test('publint and attw find no problems in the packed program', async () => {
  const [tarball] = readdirSync(folder).filter((name) => /^mailhatch-\d/.test(name))
  await expect(run('publint', ['run', join(folder, tarball!), '--strict'])).resolves.toMatchObject({
    stdout: expect.stringContaining('All good!'),
  })
  // A program, not a library.
  await expect(run('attw', [join(folder, tarball!), '--no-emoji'])).resolves.toMatchObject({
    stdout: expect.stringContaining('does not contain types'),
  })
})

test('on Node 20 the packed program starts on the Node that it has installed', async () => {
  const cache = join(temporaryFolder(), 'mailhatch')
  mkdirSync(cache)
  const [, version] = /VERSION = '(.+)'/.exec(readFileSync(join(program, 'bin/newer-node.js'), 'utf8'))!
  symlinkSync(process.execPath, join(cache, `node-${version}-${process.arch}`))
  const options = { cwd: folder, env: { ...environment(), XDG_CACHE_HOME: dirname(cache) } }
  const started = await run(await node20(), [join(program, 'bin/mailhatch.js'), '--version'], options)
  expect(started).toEqual({ stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' })
})
