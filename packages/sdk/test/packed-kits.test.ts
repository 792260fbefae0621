import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { node20 } from './support/node-20.ts'
import { installPackedSdk } from './support/packed-sdk.ts'

const run = promisify(execFile)
const MODULES = join(import.meta.dirname, '../../../node_modules')

const folder = mkdtempSync(join(tmpdir(), 'mailhatch-kits-'))
beforeAll(async () => {
  await installPackedSdk(folder)
  for (const name of ['@playwright', 'vitest', '@types']) {
    symlinkSync(join(MODULES, name), join(folder, 'node_modules', name))
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const KITS = `
  ['playwright', 'cypress', 'server'].map((name) => load('@mailhatch/sdk/' + name)).reduce(async (names, kit) => [
    ...(await names), ...Object.keys(await kit)
  ], []).then((names) => console.log(names.filter((name) => !/default|module.exports/.test(name)).sort().join(' ')))`

test('the kits load with import and require, on Node 20 and 24', async () => {
  writeFileSync(join(folder, 'load.mjs'), `const load = (name) => import(name); ${KITS}`)
  writeFileSync(join(folder, 'load.cjs'), `const load = require; ${KITS}`)
  for (const node of [await node20(), process.execPath]) {
    for (const script of ['load.mjs', 'load.cjs']) {
      const { stdout } = await run(node, [script], { cwd: folder })
      expect(stdout).toBe('expect inboxFixtures mailhatchTasks startMailhatch test\n')
    }
  }
})

test('without the mailhatch package, the server kit says what to install', async () => {
  writeFileSync(
    join(folder, 'start.cjs'),
    `require('@mailhatch/sdk/server').startMailhatch().catch(({ message }) => console.log(message))`,
  )
  const { stdout } = await run(process.execPath, ['start.cjs'], { cwd: folder })
  expect(stdout).toBe('startMailhatch needs the package mailhatch: npm install --save-dev mailhatch\n')
})

test('the Cypress commands survive tree shaking', () => {
  const bundle = (contents: string) =>
    buildSync({ stdin: { contents, resolveDir: folder }, bundle: true, platform: 'browser', write: false })
      .outputFiles[0]!.text
  expect(bundle(`import '@mailhatch/sdk/cypress'`)).toContain('waitForEmail')
  expect(bundle(`export { Mailhatch } from '@mailhatch/sdk'`)).not.toContain('waitForEmail')
})

const CONSUMER = `
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
const WRONG = `
  import { expect, test } from '@mailhatch/sdk/playwright'
  test('signs up', ({ inbox }) => expect(inbox).toHaveReceived({ subjekt: 'Verify' }))`

/** The errors of one compilation of these files. */
async function errorsIn(sources: Record<string, string>): Promise<string[]> {
  mkdirSync(join(folder, 'types'), { recursive: true })
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, 'types', name), source)
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
  return run('tsc', [...settings, ...Object.keys(sources)], { cwd: join(folder, 'types') }).then(
    () => [],
    // tsc prints errors to standard output, each on one line that is not indented.
    ({ stdout }: { stdout: string }) => stdout.split('\n').filter((line) => /^\S/.test(line)),
  )
}

test('the types of the kits compile, for ES modules and CommonJS; a misspelt condition does not', async () => {
  const sources = { 'consumer.mts': CONSUMER, 'consumer.cts': CONSUMER, 'vitest.mts': VITEST_CONSUMER }
  expect(await errorsIn({ ...sources, 'wrong.mts': WRONG })).toEqual([
    expect.stringMatching(/^wrong\.mts\(.*'subjekt' does not exist/),
  ])
})
