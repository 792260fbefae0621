import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as sdk from '@mailhatch/sdk'
import { afterEach, expect, test, vi } from 'vitest'
import { codeBlocks, runExample } from './support/run-example.ts'
import { startServer } from './support/server.ts'

const ROOT = join(import.meta.dirname, '../../..')
const IMPORT = /^import \{ (.*) \} from '@mailhatch\/sdk'$/gm

const FORMER_TOOLS = ['mailpit', 'mailhog', 'maildev', 'mailosaur']
const PAGES = [
  'docs/reference/sdk.md',
  'packages/sdk/README.md',
  ...FORMER_TOOLS.map((name) => `docs/guide/coming-from-${name}.md`),
]

const EXAMPLES = PAGES.flatMap((file) =>
  codeBlocks(readFileSync(join(ROOT, file), 'utf8'), 'ts').map((code, index) => ({
    name: `example ${index + 1} of ${file}`,
    code,
  })),
)

/** The variables that examples assume take the place of imports. */
async function runSdkExample(code: string, given: Record<string, unknown>): Promise<void> {
  const imported = Array.from(code.matchAll(IMPORT), ([, names]) => names!.split(', ')).flat()
  expect(Object.keys(sdk)).toEqual(expect.arrayContaining(imported))
  await runExample(code.replaceAll(IMPORT, ''), given)
}

async function startApp() {
  const { url, apiKey, sendMail } = await startServer()
  vi.stubEnv('MAILHATCH_URL', url)
  vi.stubEnv('MAILHATCH_API_KEY', apiKey)
  const from = 'app@shop.example'
  const html = `<p>Your code is 482913, for order A-77.</p> <a href="https://shop.example/verify?token=f3a1">Verify</a>`
  const attachments = [{ filename: 'terms.txt', content: 'Be nice.' }]
  const entered: string[] = []
  const given = {
    ...sdk,
    expect,
    mailhatch: new sdk.Mailhatch(),
    console: { log() {} },
    signUp: (to: string) => sendMail({ from, to, subject: 'Verify your address', html, attachments }),
    invite: (to: string) => sendMail({ from, to, subject: 'You are invited', text: 'Come in.' }),
    enter: (code: string) => entered.push(code),
  }
  return { given, entered }
}

afterEach(() => void vi.unstubAllEnvs())

test.each(EXAMPLES)('$name runs', async ({ code }) => {
  const { given, entered } = await startApp()
  await runSdkExample(code, given)
  expect(entered).toEqual(code.includes('enter(') ? ['482913'] : [])
})

test('control: a wrong example fails', async () => {
  expect(EXAMPLES.length).toBeGreaterThan(9)
  const { given } = await startApp()
  await expect(runSdkExample(`expect((await mailhatch.me()).cursor).toBe('nothing')`, given)).rejects.toThrow('nothing')
})
