import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test, vi } from 'vitest'
import { openChromium } from './support/dashboard.ts'
import { openWindow } from './support/dashboard-session.ts'
import { buildSpring, installNodemailer, installPython } from './support/mail-libraries.ts'
import { packAll, type PackedProject } from './support/packed-projects.ts'
import { startSmtpRelay } from './support/smtp-relay.ts'

const run = promisify(execFile)
const TO = 'anna@gmail.com'
/** A build, and packages from three registries. */
const INSTALL_MS_MAX = 20 * 60_000
/** Node and npm start twice. */
const WAIT = { timeout: 120_000 }
/** A mail is seen without a second thought. */
const SEEN_MS_MAX = 1_000

const DJANGO = `
import os, sys
from django.conf import settings
settings.configure(EMAIL_HOST=os.environ['SMTP_HOST'], EMAIL_PORT=int(os.environ['SMTP_PORT']))
from django.core.mail import send_mail
send_mail('Sign in', 'Your code is 517204.', 'app@shop.example', [sys.argv[1]])
`

const browser = await openChromium()
let project: PackedProject
let nodemailer: string
let python: string
let spring: string
beforeAll(async () => {
  project = await (await packAll())('20.20.2')
  nodemailer = await installNodemailer(project.env)
  python = await installPython('django==5.2.*')
  spring = await buildSpring()
}, INSTALL_MS_MAX)

/** Each library in its own program, as in the app under test; Nodemailer on the same Node 20. */
const LIBRARIES: [string, string, (smtp: Record<string, string>) => Promise<unknown>][] = [
  [
    'Nodemailer',
    '482913',
    (smtp) => run('node', ['nodemailer.mjs', TO], { cwd: nodemailer, env: { ...project.env, ...smtp } }),
  ],
  [
    'Django',
    '517204',
    (smtp) => run('python3', ['-c', DJANGO, TO], { env: { ...process.env, ...smtp, PYTHONPATH: python } }),
  ],
  ['Spring', '482913', (smtp) => run('java', ['-jar', spring, TO], { env: { ...process.env, ...smtp } })],
]

test('the project has no Node but Node 20', async () => {
  const { stdout } = await run('sh', ['-c', 'node --version; npm exec -- node --version'], {
    cwd: project.folder,
    env: project.env,
  })
  expect(stdout).toBe('v20.20.2\nv20.20.2\n')
})

test('on Node 20 alone, with --catch-all, mail to anna@gmail.com is in the dashboard and read by mailhatch wait', async () => {
  const { server, relay, page } = await startInProject('caught', ['--catch-all'])
  await page.locator('[data-connection=live]').waitFor()
  for (const [index, [name, code, send]] of LIBRARIES.entries()) {
    const words = ['wait', '--new', '--print', 'code', '--timeout', '5m', '--data-dir', 'caught']
    const waiting = project.run(words).then((printed) => ({ ...printed, at: performance.now() }))
    await vi.waitFor(async () => expect(await server.waits()).toBe(1), WAIT)
    const startedAt = performance.now()
    await send(relay.settings)
    await newestRow(page, index)
      .getByRole('button', { name: `Copy code ${code}` })
      .waitFor()
    // npm may print warnings about the settings of this machine to the other output.
    const { at: printedAt, stdout } = await waiting
    expect(stdout).toBe(`${code}\n`)
    const acceptedAt = relay.acceptedAt()
    console.info(
      `${name}: 250 after ${seconds(startedAt, acceptedAt)} s, code printed ${seconds(acceptedAt, printedAt)} s later`,
    )
  }
})

test('without --catch-all, it is under "Other addresses" within a second of the 250', async () => {
  const { relay, page } = await startInProject('other', [])
  await page.getByRole('link', { name: 'Other addresses' }).click()
  await page.getByText('No mail for other addresses').waitFor()
  for (const [index, [name, , send]] of LIBRARIES.entries()) {
    // Before the program ends, because a Java program ends late.
    const [seenAt] = await Promise.all([
      newestRow(page, index)
        .getByText(TO)
        .waitFor(WAIT)
        .then(() => performance.now()),
      send(relay.settings),
    ])
    console.info(`${name}: under "Other addresses" ${seconds(relay.acceptedAt(), seenAt)} s after the 250`)
    expect(seenAt - relay.acceptedAt()).toBeLessThan(SEEN_MS_MAX)
  }
  await page.getByRole('link', { name: new RegExp(`^Other addresses\\s*${LIBRARIES.length}$`) }).waitFor()
})

/** `npx mailhatch` in the project, and its dashboard, signed in by `mailhatch open`. */
async function startInProject(dataDir: string, words: string[]) {
  const startedAt = performance.now()
  const server = await project.start([...words, '--data-dir', dataDir])
  console.info(`${['npx mailhatch', ...words].join(' ')}: ready after ${seconds(startedAt, performance.now())} s`)
  const { stdout } = await project.run(['open', '--json', '--data-dir', dataDir])
  const { page } = await openWindow(browser, { url: server.url })
  await page.goto((JSON.parse(stdout) as { url: string }).url)
  await page.getByRole('button', { name: 'Sign in' }).click()
  const relay = await startSmtpRelay(server.smtpPort)
  const settings = { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(relay.port) }
  return { server, page, relay: { ...relay, settings } }
}

/** The newest row, once the list has `index + 1`. */
function newestRow(page: Page, index: number) {
  const list = page.getByRole('list', { name: 'Messages' })
  return list
    .filter({ has: page.getByRole('listitem').nth(index) })
    .getByRole('listitem')
    .first()
}

const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(1)
