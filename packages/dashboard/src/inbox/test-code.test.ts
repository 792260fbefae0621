import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MessageDetail } from '@mailhatch/sdk'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startFileServer } from '../../../server/test/support/file-server.ts'
import { stableSubject, testCodes, type Shown } from './test-code.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../../..')
const server = await startFileServer()
/** A project with all dependencies installed. */
const folder = mkdtempSync(join(tmpdir(), 'mailhatch-pasted-'))
beforeAll(() => {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  // The SDK is not built here.
  const conditions = ['mailhatch-source', 'node', 'module']
  const config = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } }
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const environment = { ...process.env, MAILHATCH_URL: server.url, MAILHATCH_API_KEY: server.apiKey, NODE_OPTIONS: '' }
const CONDITION = '--conditions=mailhatch-source'
const bin = (name: string) => join(ROOT, 'node_modules/.bin', name)

/** Runs a snippet with the tool that its name says; resolves to its output. */
async function paste(name: string, code: string): Promise<string> {
  const write = (file: string) => {
    const path = join(folder, file)
    writeFileSync(path, code)
    onTestFinished(() => rmSync(path, { force: true }))
    return path
  }
  const started = (command: string, words: string[], more: Record<string, string> = {}) =>
    run(command, words, { cwd: folder, env: { ...environment, ...more }, timeout: 50_000 })
  switch (name) {
    case 'SDK':
    case 'fetch':
      return (await started('node', [CONDITION, write(`${name}.mts`)])).stdout
    case 'curl':
      return (await started('sh', ['-c', code])).stdout
    case 'CLI': {
      const program = `node ${join(ROOT, 'packages/server/bin/mailhatch.js')}`
      return (await started('sh', ['-c', code.replace('mailhatch', program)])).stdout
    }
    case 'Vitest':
      return (
        await started(bin('vitest'), ['run', '--root', folder, write('pasted.test.ts')], { NODE_OPTIONS: CONDITION })
      ).stdout
    case 'Playwright':
      return (await started(bin('playwright'), ['test', write('pasted.spec.ts')], { NODE_OPTIONS: CONDITION })).stdout
    default:
      throw new Error(`No runner for ${name}.`)
  }
}

async function newMail(subject: string, plainContent: string): Promise<MessageDetail> {
  const { id } = await server.store({
    domain: 'mailhatch.test',
    mailbox: 'qa',
    mailboxWithTag: "qa+it's",
    tag: "it's",
    to: "qa+it's@mailhatch.test",
    subject,
    plainContent,
  })
  const response = await fetch(`${server.url}/v1/messages/${id}`, {
    headers: { authorization: `Bearer ${server.apiKey}` },
  })
  const { data } = (await response.json()) as { data: MessageDetail }
  return data
}

describe('test code passes against the mail it was created from', async () => {
  const message = await newMail(
    "482913 is your shop's code",
    'Your code is 482913.\nOr confirm: https://shop.example/verify?token=abc',
  )

  test.each(testCodes(message, server.url))('$name', async ({ name, code }) => {
    expect(code).toMatch(/is.your.shop/)
    expect(code).not.toContain('482913')
    const printed = await paste(name, code)
    expect(printed).toMatch(name === 'Vitest' || name === 'Playwright' ? /1 passed/ : /482913/)
  })

  test('and fails if there is no such mail', async () => {
    const codes = testCodes({ ...message, to: 'nobody@mailhatch.test' }, server.url)
    const { code } = codes.find(({ name }) => name === 'fetch')!
    await expect(paste('fetch', code.replace('wait=25', 'wait=0'))).rejects.toThrow('No messages found')
  })
})

test.each([
  ['482913 is your verification code', 'is your verification code'],
  ['Your order #1234 has shipped', 'has shipped'],
  ['Welcome', 'Welcome'],
  ['Code: ABC-12', 'Code'],
  ['123456', ''],
  ['', ''],
  ['[Shop] Reset your password', '[Shop] Reset your password'],
])('of the subject %j, the stable part is %j', (subject, stable) => {
  const codes: Shown['codes'] = [{ value: 'ABC-12', confidence: 1, context: '' }]
  expect(stableSubject({ subject, codes })).toBe(stable)
})
