import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { REPOSITORY } from './support/markdown.ts'
import { startServer, temporaryFolder } from './support/server.ts'

const run = promisify(execFile)
const FRAMEWORKS = join(REPOSITORY, 'examples/frameworks')

let libraries: string
beforeAll(async () => {
  libraries = temporaryFolder(afterAll)
  await run('pip', ['install', '--quiet', '--target', libraries, 'django==5.2.*', 'flask-mail==0.10.*'])
})

/** What a reader of docs/guide/frameworks.md runs, with the address to send to. */
const SENDERS: [string, (to: string) => [string, ...string[]]][] = [
  ['Nodemailer', (to) => [process.execPath, 'nodemailer.js', to]],
  ['smtplib of Python', (to) => ['python3', 'python_smtplib.py', to]],
  [
    'Django',
    (to) => ['python3', '-m', 'django', 'sendtestemail', '--settings', 'settings', '--pythonpath', 'django', to],
  ],
  ['Flask-Mail', (to) => ['python3', 'flask_mail_app.py', to]],
  ['net/smtp of Go', (to) => ['go', 'run', './go/main.go', to]],
]

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
