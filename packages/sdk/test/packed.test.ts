import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installPackedSdk } from './support/packed-sdk.ts'

const run = promisify(execFile)
/** Small enough not to slow down a test suite. */
const GZIP_BYTES_MAX = 12_000

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
