import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { readGuide } from '../../dashboard/src/setup/framework-guide.ts'
import { buildSpring, FRAMEWORKS, installPython } from './support/mail-libraries.ts'
import { REPOSITORY } from './support/markdown.ts'
import { startServer } from './support/server.ts'

const run = promisify(execFile)
/** Packages from two registries. */
const INSTALL_MS_MAX = 10 * 60_000

let libraries: string
let spring: string
beforeAll(async () => {
  libraries = await installPython('django==5.2.*', 'flask-mail==0.10.*')
  spring = await buildSpring()
}, INSTALL_MS_MAX)

/** What a reader of docs/guide/frameworks.md runs, with the address to send to, by the names on that page. */
const SENDERS: [string, (to: string) => [string, ...string[]]][] = [
  ['Nodemailer', (to) => [process.execPath, 'nodemailer.js', to]],
  ['Python', (to) => ['python3', 'python_smtplib.py', to]],
  [
    'Django',
    (to) => ['python3', '-m', 'django', 'sendtestemail', '--settings', 'settings', '--pythonpath', 'django', to],
  ],
  ['Flask', (to) => ['python3', 'flask_mail_app.py', to]],
  ['Go', (to) => ['go', 'run', './go/main.go', to]],
  ['Spring Boot', (to) => ['java', '-jar', spring, to]],
]

test('the page calls those tried that are run here, and no others', () => {
  const guide = readGuide(readFileSync(join(REPOSITORY, 'docs/guide/frameworks.md'), 'utf8'))
  const tried = guide.filter(({ isTried }) => isTried).map(({ name }) => name)
  expect(tried.toSorted()).toEqual(SENDERS.map(([name]) => name).toSorted())
})

test.each(SENDERS)('mail from %s arrives, also for a domain of other people', async (_, commandFor) => {
  const { sdk, smtpPort } = await startServer({ INBOX_CATCH_ALL: 'bootstrap' })
  const send = async (to: string) => {
    const [program, ...words] = commandFor(to)
    const env = { ...process.env, SMTP_HOST: '127.0.0.1', SMTP_PORT: String(smtpPort), PYTHONPATH: libraries }
    await run(program, words, { cwd: FRAMEWORKS, env })
  }
  const inbox = await sdk.addresses.create()
  await send(inbox.address)
  const mail = await inbox.waitFor()
  expect(mail.to).toBe(inbox.address)
  expect(mail.from).toMatch(/@/)
  const { cursor } = await sdk.me()
  await send('anna@gmail.com')
  expect((await sdk.messages.waitFor({ to: 'anna@gmail.com', after: cursor })).from).toBe(mail.from)
})
