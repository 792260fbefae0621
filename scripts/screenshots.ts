// Takes the screenshots in docs/images/: node --conditions=mailhatch-source scripts/screenshots.ts
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTransport } from 'nodemailer'
import { chromium, type Browser, type Page } from 'playwright-core'
import { readConfig } from '../packages/server/src/program/config.ts'
import { createLogger } from '../packages/server/src/observe/logger.ts'
import { startServe } from '../packages/server/src/program/node.ts'
import { findChromium } from '../packages/server/test/support/chromium.ts'
import { buildDashboard } from './build-dashboard.ts'
import { SAMPLE_MAILS } from './sample-mails.ts'

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url))
const MINUTE_MS = 60_000

const DESKTOP = { viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1.5 }
const PHONE = { viewport: { width: 375, height: 720 }, deviceScaleFactor: 2, hasTouch: true }

const SCREENSHOTS = [
  { name: 'dashboard-light', colorScheme: 'light', ...DESKTOP },
  { name: 'dashboard-dark', colorScheme: 'dark', ...DESKTOP },
  { name: 'dashboard-phone', colorScheme: 'light', ...PHONE },
] as const

await buildDashboard()
const dataDir = mkdtempSync(join(tmpdir(), 'mailhatch-screenshots-'))
/** All mail is sent within seconds, so the server's clock is set back for older mail. */
let agoMs = 0
const settings = { DATA_DIR: dataDir, PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', DISK_FREE_MIN: '0' }
const running = await startServe(readConfig('serve', settings), createLogger('error', false), {
  now: () => Date.now() - agoMs,
})
const url = `http://127.0.0.1:${running.apiPort}`
const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
try {
  const cookies = await signIn(browser, running.firstStart!.signInToken)
  await sendMails()
  mkdirSync(IMAGES, { recursive: true })
  for (const { name, ...options } of SCREENSHOTS) {
    const context = await browser.newContext({ baseURL: url, storageState: cookies, ...options })
    const page = await context.newPage()
    await openNewest(page)
    await page.screenshot({ path: join(IMAGES, `${name}.png`) })
    await context.close()
  }
} finally {
  await browser.close()
  await running.close()
  rmSync(dataDir, { recursive: true, force: true })
}

async function signIn(from: Browser, token: string) {
  const context = await from.newContext({ baseURL: url })
  const page = await context.newPage()
  await page.goto(`/sign-in?token=${token}`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

/** Sends one mail at a time and waits until it is listed before the clock moves on. */
async function sendMails(): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: running.smtpPort! })
  for (const [index, { minutesAgo, ...mail }] of SAMPLE_MAILS.entries()) {
    agoMs = minutesAgo * MINUTE_MS
    await transport.sendMail(mail)
    await untilStored(index + 1)
  }
  agoMs = 0
  transport.close()
}

async function untilStored(count: number): Promise<void> {
  const headers = { authorization: `Bearer ${running.firstStart!.apiKey}` }
  for (;;) {
    const response = await fetch(`${url}/v1/messages?limit=100`, { headers, signal: AbortSignal.timeout(10_000) })
    // The documented response of the API.
    const { data } = (await response.json()) as { data: unknown[] }
    if (data.length >= count) return
  }
}

async function openNewest(page: Page): Promise<void> {
  await page.goto('/')
  const rows = page.getByRole('list', { name: 'Messages' }).getByRole('link')
  const opened = [4, 2, 0]
  for (const index of opened) {
    await rows.nth(index).click()
    await page.frameLocator('iframe').locator('body').waitFor()
    if (index > 0) await page.goBack()
  }
  await page.locator('[data-connection=live]').waitFor({ state: 'attached' })
  // The counts follow a moment later. On a phone, the message hides them.
  const [all, read] = [SAMPLE_MAILS.length, opened.length]
  if (await rows.first().isVisible()) await page.getByText(`${all} · ${all - read} unread`, { exact: true }).waitFor()
  // Avoid hover effects.
  await page.mouse.move(0, 0)
}
