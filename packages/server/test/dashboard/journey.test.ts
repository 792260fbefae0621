import { Mailhatch } from '@mailhatch/sdk'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openWindow } from '../support/dashboard-session.ts'
import { buildDashboard, openChromium } from '../support/dashboard.ts'
import { freePort } from '../support/free-port.ts'
import { startProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/server.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

const DESKTOP = { viewport: { width: 1280, height: 800 } }
const PHONE = { viewport: { width: 375, height: 740 }, hasTouch: true }
const PASSWORD = 'correct horse battery'

await buildDashboard()
const browser = await openChromium()

/** The program at its first start, and the page at the link that it prints. */
async function openFirstStart(options: BrowserContextOptions) {
  const program = await startProgram('serve', {
    DATA_DIR: temporaryFolder(),
    // Links contain it.
    PORT: String(await freePort()),
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  })
  await expect.poll(() => program.output.stdout).toMatch(/Sign in +\S+/)
  const link = /Sign in +(\S+)/.exec(program.output.stdout)![1]!
  const url = new URL(link).origin
  const window = await openWindow(browser, { url, ...options })
  let loads = 0
  window.page.on('load', () => loads++)
  await window.page.goto(link)
  await window.page.getByRole('button', { name: 'Sign in' }).click()
  return { ...window, url, countLoads: () => loads }
}

/** One click in the empty state, and the mail is in the list. Resolves to its row. */
async function sendFirstMail(page: Page): Promise<Locator> {
  await page.getByRole('heading', { name: 'Get your first mail' }).waitFor()
  await page.locator('[data-connection=live]').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Send a test mail' }).click()
  const row = page.getByRole('list', { name: 'Messages' }).getByRole('link', { name: /is your verification code/ })
  await row.waitFor()
  return row
}

/** Resolves to the content of the clipboard. */
async function copyCode(page: Page): Promise<string> {
  const chip = page.getByRole('button', { name: /^Code \d+/ })
  await chip.click()
  await chip.getByText('Copied').waitFor()
  return readClipboard(page)
}

/** Resolves to the key, which the page then no longer shows. */
async function makeKey(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'API keys', exact: true }).click()
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('CI of the shop')
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  const key = await dialog.locator('code').innerText()
  await dialog.getByLabel('I have saved the key').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: 'CI of the shop', exact: true }).waitFor()
  expect(await page.content()).not.toContain(key)
  return key
}

async function addWebhook(page: Page, endpointUrl: string): Promise<void> {
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.getByRole('button', { name: 'Add endpoint' }).first().click()
  await page.getByLabel('URL').fill(endpointUrl)
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
  const secret = page.getByRole('dialog', { name: 'Signing secret' })
  expect(await secret.locator('code').innerText()).toMatch(/^whsec_/)
  await secret.getByLabel('I have saved the secret').check()
  await secret.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: endpointUrl }).click()
}

/** Resolves to the link of the invite. */
async function invite(page: Page, email: string): Promise<string> {
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await page.getByLabel('Invite by email').fill(email)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  return readClipboard(page)
}

async function join(page: Page, link: string, email: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('heading', { name: 'You are invited' }).waitFor()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('button', { name: 'Join the team' }).click()
  await page.getByText('You are now a member of My Team.').first().waitFor()
}

async function signInAgain(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

function readClipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText())
}

test('from the first start to a working team, on a desktop', async () => {
  const { page, url, countLoads, complaints } = await openFirstStart(DESKTOP)
  await (await sendFirstMail(page)).click()
  const code = await copyCode(page)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  const key = await makeKey(page)
  const sdk = new Mailhatch({ url, apiKey: key })
  const [message] = (await sdk.messages.list()).data
  expect(message!.subject).toBe(`${code} is your verification code`)

  const receiver = await startWebhookReceiver(() => ({ status: 200, body: 'taken' }))
  await addWebhook(page, `${receiver.url}/hook`)
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.locator('summary', { hasText: 'delivered' }).click()
  await page.getByLabel('Response body').getByText('taken').waitFor()
  expect(receiver.received).toHaveLength(1)
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await expect.poll(() => receiver.received.length).toBe(2)
  expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id)

  const email = 'colleague@acme.example'
  const link = await invite(page, email)
  const colleague = await openWindow(browser, { url, ...PHONE })
  await join(colleague.page, link, email)
  await colleague.page.goto('/settings/domain')
  await colleague.page.getByText('Only team owners can change the domain.').waitFor()
  expect(await colleague.page.getByLabel('Custom domain').count()).toBe(0)
  expect(await changeDomain(colleague.page)).toBe(403)
  await page.getByRole('link', { name: 'Domain', exact: true }).click()
  await page.getByLabel('Custom domain').waitFor()
  expect(await changeDomain(page)).toBe(200)

  await signOut(colleague.page)
  await signInAgain(colleague.page, email)
  await signOut(page)
  await page.goBack()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(countLoads(), 'pages loaded from the link to the end').toBe(1)
  expect([...complaints, ...colleague.complaints]).toEqual([])
})

test('from the first start to a key that reads mail, on a phone', async () => {
  const { page, url, countLoads, complaints } = await openFirstStart(PHONE)
  await (await sendFirstMail(page)).tap()
  const code = await copyCode(page)
  await page.getByRole('button', { name: 'Back to list' }).click()
  await page.getByRole('list', { name: 'Messages' }).waitFor()
  expect(await page.getByRole('button', { name: /^Code \d+/ }).count()).toBe(0)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  const key = await makeKey(page)
  const { data } = await new Mailhatch({ url, apiKey: key }).messages.list()
  expect(data.map(({ subject }) => subject)).toEqual([`${code} is your verification code`])
  await signOut(page)
  expect(countLoads()).toBe(1)
  expect(complaints).toEqual([])
})

/** Calls the procedure behind the form, even if the page does not offer it. */
function changeDomain(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const answer = await fetch('/trpc/inbox.settings.update', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'mail.staging.example' }),
    })
    return answer.status
  })
}
