import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../examples/sample-app/app.ts'
import { findChromium } from '../../server/test/support/chromium.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { startServer } from '../../server/test/support/server.ts'
import { Mailhatch } from '../src/client.ts'
import { addSpecs, installExamples, runExample, type Ended } from './support/examples.ts'
import { playwrightReport, type PlaywrightReport } from './support/playwright-report.ts'

/** These repeat the first ones of the example; all 21 run in playwright-example.long.test.ts. */
const REPEATED = /(Ben|Cem|Dora|Émile|Fatma|Gil|Hana|Ivo|Jun|Kai|Léa|Mia) signs up/

const folder = mkdtempSync(join(tmpdir(), 'mailhatch-examples-'))
beforeAll(() => installExamples(folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('Playwright', () => {
  const example = join(folder, 'examples/playwright')
  let report: PlaywrightReport

  beforeAll(async () => {
    const specs = [
      'failing.spec.ts',
      'attach-always.spec.ts',
      'wrong-key.spec.ts',
      'script-ends.spec.ts',
      'counted.spec.ts',
    ]
    addSpecs(folder, Object.fromEntries(specs.map((name) => [name, `playwright/tests/${name}`])))
    addSpecs(folder, { 'step-lines.ts': 'playwright/step-lines.ts' })
    const reporters = ['./step-lines.ts']
    report = await playwrightReport(example, { chromium: await findChromium(), reporters, without: REPEATED })
  })

  test('9 tests, two in parallel, sign up and read their own mail', () => {
    const ofExample = report.results.filter(({ file }) => /^(sign-up|parallel|refusals)/.test(file))
    expect(ofExample.filter(({ status }) => status !== 'passed')).toEqual([])
    expect(ofExample).toHaveLength(9)
    // Of all tests: a fast worker may run those of the example alone.
    expect(new Set(report.results.map(({ parallelIndex }) => parallelIndex)).size).toBe(2)
    expect(ofExample.flatMap(({ attachments }) => attachments)).toEqual([])
  })

  test('a failed wait reports what arrived before the test times out, and shows the line of the test', () => {
    const { status, errors, steps } = report.resultOf('failing.spec.ts')
    expect(status).toBe('failed')
    expect(errors).toHaveLength(1)
    expect(errors[0]!.message).toMatch(
      /MessageTimeoutError: No message matched \{"subject":"receipt"\} in [a-z0-9]+\+waits-for-a-receipt-t-w\d+-[a-z0-9]{10}@/,
    )
    expect(errors[0]!.message).toContain('Verify your address (not matching: subject)')
    expect(errors[0]!.location).toMatchObject({ file: expect.stringContaining('failing.spec.ts'), line: 6 })
    expect(steps!.map(({ title }) => title)).toContain('waitFor email {"subject":"receipt"}')
    const lines = JSON.parse(readFileSync(join(example, 'step-lines.json'), 'utf8')) as string[]
    expect(lines).toContain('Waits for a receipt that never arrives: failing.spec.ts:6')
  })

  test('a failed test has its mail attached, as JSON, as an HTML page and raw', () => {
    const mail = report.resultOf('failing.spec.ts').attachments.filter(({ name }) => name.startsWith('mail'))
    const [json, html, raw] = mail.map(({ body }) => Buffer.from(body!, 'base64').toString())
    expect(mail.map(({ name, contentType }) => [name, contentType])).toEqual([
      ['mail 1: Verify your address (JSON)', 'application/json'],
      ['mail 1: Verify your address (HTML)', 'text/html'],
      ['mail 1: Verify your address (.eml)', 'message/rfc822'],
    ])
    const { codes } = JSON.parse(json!) as { codes: { value: string }[] }
    expect(html).toContain(`Your code is <b>${codes[0]!.value}</b>`)
    expect(html).toMatch(/^<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"/)
    expect(raw).toContain('\r\nSubject: Verify your address\r\n')
  })

  test('fixtures can be merged with others, and mail attached to tests that pass', () => {
    const { status, attachments } = report.resultOf('attach-always.spec.ts')
    expect(status).toBe('passed')
    expect(attachments.map(({ name }) => name)).toEqual([
      'mail 1: You are invited (JSON)',
      'mail 1: You are invited (.eml)',
    ])
  })

  test('a script is a step in the report, and ends with its test', () => {
    const { steps } = report.resultOf('refusals.spec.ts')
    expect(steps!.map(({ title }) => title)).toContain('script email reject, accept')
    const ofScripts = report.results.filter(({ file }) => file === 'script-ends.spec.ts')
    expect(ofScripts.map(({ status }) => status)).toEqual(['passed', 'passed'])
  })

  test('each wait, and each question about mail, is a step at its line of the test', () => {
    const { status, steps } = report.resultOf('counted.spec.ts')
    expect(status).toBe('passed')
    expect(steps!.map(({ title }) => title)).toEqual(
      expect.arrayContaining([
        'expectExactly email 0 {"subject":"Twice"}',
        'waitForCount email 0 {}',
        'waitForAll email {}',
        'settled email',
        'attempts email',
      ]),
    )
    const lines = JSON.parse(readFileSync(join(example, 'step-lines.json'), 'utf8')) as string[]
    for (const line of [4, 5, 6, 7, 8]) expect(lines).toContain(`counts mail: counted.spec.ts:${line}`)
  })

  test('a wrong key is one clear error', () => {
    const { errors } = report.resultOf('wrong-key.spec.ts')
    expect(errors).toHaveLength(1)
    expect(errors[0]!.message).toMatch(/^AuthenticationError: .*Check the API key/)
  })
})

describe('Vitest', () => {
  let ended: Ended

  beforeAll(async () => {
    addSpecs(folder, { 'failing-vitest.ts': 'vitest/failing.test.ts' })
    addSpecs(folder, { 'script-ends-vitest.ts': 'vitest/script-ends.test.ts' })
    ended = await runExample(join(folder, 'examples/vitest'), ['vitest', 'run', '--reporter=default'])
  })

  /** The output for one failed test. */
  const errorOf = (name: string) => ended.stderr.split(' FAIL  ').find((part) => part.includes(`> ${name}\n`))

  test('the tests of the example pass', () => {
    expect(ended.stdout).toContain('✓ sign-up.test.ts (2 tests)')
    expect(ended.stdout).toContain('✓ refusals.test.ts (1 test)')
    expect(ended.stdout).toContain('✓ script-ends.test.ts (2 tests)')
    expect(ended.stdout).toContain('4 failed | 5 passed (9)')
  })

  test.each([
    ['times out', /^MessageTimeoutError: No message matched .*What did arrive:\n.*\(not matching: subject\)/m],
    ['is about something else', /expected 'Verify your address' to be 'Something else'/],
    ['expects a missing message', /Error: No message matched \{"subject":"Newsletter"\}/],
    ['gets an unexpected message', /not to receive .*, but 'Verify your address' from app@shop\.example arrived\./],
  ])('a test that %s says so, and has its mail attached', (name, error) => {
    expect(errorOf(name)).toMatch(error)
    for (const form of ['JSON', 'HTML', '.eml']) {
      expect(errorOf(name)).toContain(`↳ mail 1: Verify your address (${form})`)
    }
  })
})

test('the fetch example signs up', async () => {
  const { url, apiKey, smtpPort } = await startServer()
  const app = await startApp({ smtpPort })
  onTestFinished(() => app.close())
  const environment = { MAILHATCH_URL: url, MAILHATCH_API_KEY: apiKey, APP_URL: app.url }
  const ended = await runExample(join(folder, 'examples/fetch'), ['node', 'sign-up.js'], environment)
  expect(ended).toEqual({ code: 0, stdout: 'signed up\n', stderr: '' })
})

test('the workflow for any runner starts a Mailhatch that accepts the key of the run', async () => {
  const workflow = readFileSync(join(folder, 'examples/github-actions/any-runner.yml'), 'utf8')
  const [, indented] = /name: Start Mailhatch\n +run: \|\n((?: {10}.*\n)+)/.exec(workflow)!
  const [, apiKey] = /MAILHATCH_API_KEY: (\S+)/.exec(workflow)!
  const port = await freePort()
  const environment = { PORT: String(port), WORKER_PORT: '0', SMTP_PORT: '0', DISK_FREE_MIN: '0' }
  const url = `http://localhost:${port}`
  const { PATH = '', HOME = '' } = process.env
  // In its own process group, so that everything it starts can be stopped together.
  const child = spawn('bash', ['-e', '-c', indented!], {
    cwd: join(folder, 'examples/github-actions'),
    env: { PATH, HOME, MAILHATCH_URL: url, MAILHATCH_API_KEY: apiKey, ...environment },
    stdio: 'ignore',
    detached: true,
  })
  onTestFinished(() => void process.kill(-child.pid!, 'SIGTERM'))
  expect(await once(child, 'exit')).toEqual([0, null])
  expect((await new Mailhatch({ url, apiKey: apiKey! }).me()).team.domain).toBe('mailhatch.test')
})

test('the GitHub workflow runs the test script of the example', () => {
  const workflow = readFileSync(join(folder, 'examples/github-actions/e2e.yml'), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(folder, 'examples/playwright/package.json'), 'utf8')) as {
    scripts: { test: string }
  }
  expect(workflow).toContain(`- run: npx ${scripts.test}\n`)
})
