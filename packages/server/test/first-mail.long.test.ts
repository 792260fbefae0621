import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { REPOSITORY } from './support/markdown.ts'
import { packAll, type PackedProject } from './support/packed-projects.ts'
import { temporaryFolder } from './support/server.ts'

const run = promisify(execFile)
const FRAMEWORKS = join(REPOSITORY, 'examples/frameworks')
const TO = 'anna@gmail.com'
/** A build, and packages from three registries. */
const INSTALL_MS_MAX = 20 * 60_000
/** Node and npm start twice. */
const WAIT = { timeout: 120_000 }

const DJANGO = `
import sys
from django.conf import settings
settings.configure(EMAIL_HOST='127.0.0.1', EMAIL_PORT=int(sys.argv[1]))
from django.core.mail import send_mail
send_mail('Sign in', 'Your code is 517204.', 'app@shop.example', ['${TO}'])
`

let project: PackedProject
let python: string
let spring: string
beforeAll(async () => {
  python = temporaryFolder(afterAll)
  await run('pip', ['install', '--quiet', '--target', python, 'django==5.2.*'])
  spring = temporaryFolder(afterAll)
  cpSync(join(FRAMEWORKS, 'spring'), spring, { recursive: true })
  await run('mvn', ['-q', '-B', 'compile'], { cwd: spring })
  project = await (await packAll())('20.20.2')
}, INSTALL_MS_MAX)

/** Each library in its own program, as in the app under test. Python and Java must be installed. */
const LIBRARIES: [string, string, (smtpPort: string) => Promise<unknown>][] = [
  ['nodemailer', '482913', (port) => send(process.execPath, ['nodemailer.js', TO], FRAMEWORKS, port)],
  ['Django', '517204', (port) => send('python3', ['-c', DJANGO, port], python, port)],
  ['Spring', '482913', (port) => send('mvn', ['-q', '-B', 'exec:java', `-Dexec.args=${TO}`], spring, port)],
]

function send(program: string, words: string[], cwd: string, port: string) {
  const env = { ...process.env, SMTP_HOST: '127.0.0.1', SMTP_PORT: port, PYTHONPATH: python }
  return run(program, words, { cwd, env })
}

test('on Node 20 alone, a mail to anna@gmail.com by nodemailer, Django and Spring is read by mailhatch wait', async () => {
  const startedAt = performance.now()
  const server = await project.start(['--catch-all'])
  console.log(`npx mailhatch --catch-all: ready after ${secondsSince(startedAt)} s`)
  for (const [name, code, sendBy] of LIBRARIES) {
    const printed = project.run(['wait', '--new', '--print', 'code', '--timeout', '5m', '--url', server.url])
    // The command runs in this folder, so it finds the key there.
    await vi.waitFor(async () => expect(await server.waits()).toBe(1), WAIT)
    const sentAt = performance.now()
    await sendBy(String(server.smtpPort))
    expect(await printed).toEqual({ stdout: `${code}\n`, stderr: '' })
    console.log(`${name}: code printed ${secondsSince(sentAt)} s after its program was started`)
  }
})

const secondsSince = (since: number) => ((performance.now() - since) / 1_000).toFixed(1)
