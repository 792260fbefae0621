import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, WEBHOOK_SECRET } from '../../server/test/support/server.ts'
import { node20 } from './support/node-20.ts'
import { installPackedSdk } from './support/packed-sdk.ts'

const run = promisify(execFile)
/** Small enough not to slow down a test suite. A tenth of it checks values and explains failures. */
const GZIP_BYTES_MAX = 14_500

const MODULES = join(import.meta.dirname, '../../../node_modules')
const BEHAVIOUR = join(import.meta.dirname, '../../server/test/support/sdk-behaviour.mjs')

const folder = mkdtempSync(join(tmpdir(), 'mailhatch-sdk-'))
let tarball: string
let installed: string

beforeAll(async () => {
  ;({ tarball, installed } = await installPackedSdk(folder))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The bundle that a web page would load. */
function bundle(contents: string): string {
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  return outputFiles[0]!.text
}

test('publint and attw find no problems', async () => {
  await expect(run('publint', ['run', tarball, '--strict'])).resolves.toMatchObject({
    stdout: expect.stringContaining('All good!'),
  })
  await expect(run('attw', [tarball, '--no-emoji'])).resolves.toMatchObject({
    stdout: expect.stringContaining('No problems found'),
  })
})

test('the package contains only the build, without dependencies', () => {
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
  expect(files.filter((file) => file.includes('.test.'))).toEqual([])
  const sources = files.filter((file) => /\.(js|d\.ts)$/.test(file))
  const imports = sources.flatMap((file) =>
    Array.from(
      readFileSync(join(installed, 'dist', file), 'utf8').matchAll(/from ['"](.*?)['"]/g),
      ([, name]) => name!,
    ),
  )
  expect(imports.length).toBeGreaterThan(50)
  expect(imports.filter((name) => name.endsWith('.ts'))).toEqual([])
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(dependencies).toBeUndefined()
})

test(`the minified and compressed bundle is at most ${GZIP_BYTES_MAX} bytes, and needs no Node modules`, () => {
  const bytes = gzipSync(bundle(`export * from '@mailhatch/sdk'`)).length
  expect(bytes).toBeGreaterThan(3_000)
  expect(bytes).toBeLessThanOrEqual(GZIP_BYTES_MAX)
})

test('errors keep their names when minified', async () => {
  const names = ['AuthenticationError', 'ForbiddenError', 'NotFoundError', 'RateLimitError', 'ValidationError']
  const code = bundle(`
    import * as sdk from '@mailhatch/sdk'
    const body = { error: '', code: '', requestId: '' }
    export const names = ${JSON.stringify(names)}.map((name) => new sdk[name]('', { status: 400, body }).name)
    names.push(new sdk.ConnectionError('').name)
    names.push(new sdk.MessageTimeoutError({ description: '', timeoutMs: 1, arrived: [] }).name)`)
  expect(code).not.toContain('class AuthenticationError')
  const file = join(folder, 'minified.mjs')
  writeFileSync(file, code)
  // Written above.
  const module = (await import(file)) as { names: string[] }
  expect(module.names).toEqual([...names, 'ConnectionError', 'MessageTimeoutError'])
})

describe('types', () => {
  const CONSUMER = `
    import { Mailhatch, toResult, type Email } from '@mailhatch/sdk'
    const mailhatch = new Mailhatch({ url: 'http://localhost:3003', apiKey: 'key' })
    export async function signUp(): Promise<string> {
      const inbox = await mailhatch.addresses.create({ prefix: 'signup' })
      const mail: Email = await inbox.waitFor({ subject: /verify/i, where: (mail) => mail.links.length > 0 })
      for await (const { subject } of mailhatch.messages.list({ mailbox: 'qa' })) console.log(subject)
      const { data, error } = await toResult(mailhatch.me())
      return error === null ? data.cursor : mail.code()
    }`
  const WRONG = `
    import { Mailhatch } from '@mailhatch/sdk'
    void new Mailhatch().messages.waitFor({ subjekt: 'Verify' })`

  /** The errors of one compilation of these files, all of which are written. */
  const errorsIn = (sources: Record<string, string>, settings: string[]): Promise<string[]> => {
    for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source)
    const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--types', '']
    return run('tsc', [...strict, ...settings, ...Object.keys(sources)], { cwd: folder }).then(
      () => [],
      // tsc prints errors to standard output, each on one line that is not indented.
      ({ stdout }: { stdout: string }) => stdout.split('\n').filter((line) => /^\S/.test(line)),
    )
  }

  test('an ES module and CommonJS compile against them without the Node types; a misspelt condition does not', async () => {
    const settings = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable']
    const sources = { 'consumer.mts': CONSUMER, 'consumer.cts': CONSUMER, 'wrong.mts': WRONG }
    expect(await errorsIn(sources, settings)).toEqual([
      expect.stringMatching(/^wrong\.mts\(.*'subjekt' does not exist/),
    ])
  })

  test('a bundler compiles against them, without the Node types', async () => {
    const settings = ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom']
    expect(await errorsIn({ 'consumer.ts': CONSUMER }, settings)).toEqual([])
  })
})

test('the packed SDK works the same on Node 20 and 24, with import and require', async () => {
  const { url, apiKey } = await startServer()
  for (const [node, version] of [
    [await node20(), 'v20.20.2'],
    [process.execPath, process.version],
  ] as const) {
    for (const way of ['import', 'require']) {
      const { stdout } = await run(node, [BEHAVIOUR, way, folder, url, apiKey, WEBHOOK_SECRET])
      expect(stdout).toBe(`${version} ${way} fine\n`)
    }
  }
})

/** The package beside those that its kits are for. */
const withKits = join(folder, 'with-kits')
beforeAll(() => {
  const modules = join(withKits, 'node_modules')
  mkdirSync(modules, { recursive: true })
  cpSync(installed, join(modules, '@mailhatch/sdk'), { recursive: true })
  for (const name of ['@playwright', 'vitest', '@types']) symlinkSync(join(MODULES, name), join(modules, name))
})

const KITS = `
  ['playwright', 'cypress', 'server'].map((name) => load('@mailhatch/sdk/' + name)).reduce(async (names, kit) => [
    ...(await names), ...Object.keys(await kit)
  ], []).then((names) => console.log(names.filter((name) => !/default|module.exports/.test(name)).sort().join(' ')))`

test('the kits load with import and require, on Node 20 and 24', async () => {
  writeFileSync(join(withKits, 'load.mjs'), `const load = (name) => import(name); ${KITS}`)
  writeFileSync(join(withKits, 'load.cjs'), `const load = require; ${KITS}`)
  for (const node of [await node20(), process.execPath]) {
    for (const script of ['load.mjs', 'load.cjs']) {
      const { stdout } = await run(node, [script], { cwd: withKits })
      expect(stdout).toBe('expect inboxFixtures mailhatchTasks startMailhatch test\n')
    }
  }
})

test('without the mailhatch package, the server kit says what to install', async () => {
  writeFileSync(
    join(withKits, 'start.cjs'),
    `require('@mailhatch/sdk/server').startMailhatch().catch(({ message }) => console.log(message))`,
  )
  const { stdout } = await run(process.execPath, ['start.cjs'], { cwd: withKits })
  expect(stdout).toBe('startMailhatch needs the package mailhatch: npm install --save-dev mailhatch\n')
})

test('the Cypress commands survive tree shaking', () => {
  const bundled = (contents: string) =>
    buildSync({ stdin: { contents, resolveDir: withKits }, bundle: true, platform: 'browser', write: false })
      .outputFiles[0]!.text
  expect(bundled(`import '@mailhatch/sdk/cypress'`)).toContain('waitForEmail')
  expect(bundled(`export { Mailhatch } from '@mailhatch/sdk'`)).not.toContain('waitForEmail')
})

const KITS_CONSUMER = `
  import { startMailhatch } from '@mailhatch/sdk/server'
  import { mailhatchTasks, type CypressEmail } from '@mailhatch/sdk/cypress'
  import { defineConfig } from '@playwright/test'
  import { expect, test, type InboxWorkerFixtures } from '@mailhatch/sdk/playwright'
  export default defineConfig<object, InboxWorkerFixtures>({ use: { inboxOptions: { attach: 'always' } } })
  export async function setUp(on: (event: 'task', tasks: Record<string, (given: never) => unknown>) => void) {
    on('task', mailhatchTasks())
    return (await startMailhatch({ settings: { SMTP_PORT: '2525' } })).url
  }
  export const codeOf = ({ code }: CypressEmail): string => code
  test('signs up', async ({ page, inbox }) => {
    const mail = await inbox.waitFor({ subject: /verify/i })
    await mail.open(page)
    await expect(inbox).toHaveReceived({ hasAttachment: true }, { timeout: 5_000 })
  })`
const VITEST_CONSUMER = `
  import { expect, test } from '@mailhatch/sdk/vitest'
  test('signs up', async ({ inbox, mailhatch }) => {
    const mail = await inbox.waitFor({ subject: /verify/i })
    await expect(inbox).toHaveReceived({ to: mail.to })
    await expect(inbox).not.toHaveReceived({ subject: (await mailhatch.me()).team.name })
  })`
const KITS_WRONG = `
  import { expect, test } from '@mailhatch/sdk/playwright'
  test('signs up', ({ inbox }) => expect(inbox).toHaveReceived({ subjekt: 'Verify' }))`

/** The errors of one compilation of these files. */
async function errorsInKits(sources: Record<string, string>): Promise<string[]> {
  mkdirSync(join(withKits, 'types'), { recursive: true })
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(withKits, 'types', name), source)
  const settings = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
  ]
  return run('tsc', [...settings, ...Object.keys(sources)], { cwd: join(withKits, 'types') }).then(
    () => [],
    // tsc prints errors to standard output, each on one line that is not indented.
    ({ stdout }: { stdout: string }) => stdout.split('\n').filter((line) => /^\S/.test(line)),
  )
}

test('the types of the kits compile, for ES modules and CommonJS; a misspelt condition does not', async () => {
  const sources = { 'consumer.mts': KITS_CONSUMER, 'consumer.cts': KITS_CONSUMER, 'vitest.mts': VITEST_CONSUMER }
  expect(await errorsInKits({ ...sources, 'wrong.mts': KITS_WRONG })).toEqual([
    expect.stringMatching(/^wrong\.mts\(.*'subjekt' does not exist/),
  ])
})
