import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { store } from '../support/announce.ts'
import { startCable } from '../support/cable.ts'
import { openWindow, signInByLink } from '../support/dashboard-session.ts'
import { buildDashboard, openChromium } from '../support/dashboard.ts'
import { freePort } from '../support/free-port.ts'
import { serveIn, startServer, temporaryFolder } from '../support/server.ts'

/** A silent loss is noticed after about 15 seconds, and at most ten seconds pass between two attempts. */
const HEALED_MS_MAX = 30_000

await buildDashboard()
const browser = await openChromium()

/** The inbox of a user who has just signed in, once it is live. */
async function openInboxPage({ url, token }: { url: string; token: string }) {
  const window = await openWindow(browser, { url })
  let loads = 0
  await signInByLink(window.page, token)
  window.page.on('load', () => loads++)
  await untilState(window.page, 'live')
  return { ...window, countReloads: () => loads }
}

async function untilState(page: Page, state: 'live' | 'waiting' | 'offline', timeout = HEALED_MS_MAX): Promise<void> {
  await page.locator(`[data-connection=${state}]`).waitFor({ timeout })
}

/** Subjects in the list, from the top. */
async function subjectsIn(page: Page): Promise<string[]> {
  const rows = await page.getByRole('list', { name: 'Messages' }).getByRole('link').allInnerTexts()
  return rows.map((text) => /Mail \d+/.exec(text)?.[0] ?? text)
}

test('the page reconnects after a restart of the server', async () => {
  const dataDir = temporaryFolder()
  const settings = { PORT: String(await freePort()) }
  const url = `http://127.0.0.1:${settings.PORT}`
  const first = await serveIn(dataDir, settings)
  await store(url, { subject: 'Mail 1' })
  const { page, countReloads } = await openInboxPage({ url, token: first.firstStart!.signInToken })
  await first.close()
  await untilState(page, 'waiting')
  // Between two attempts; each replaces the text for a moment.
  await expect.poll(() => page.locator('[data-connection]').innerText()).toMatch(/^Reconnecting in \d+ s/)
  await page.getByRole('status').getByText('Connection lost.').waitFor()

  const second = await serveIn(dataDir, settings)
  try {
    await store(url, { subject: 'Mail 2' })
    await untilState(page, 'live')
    await store(url, { subject: 'Mail 3' })
    await expect.poll(() => subjectsIn(page)).toEqual(['Mail 3', 'Mail 2', 'Mail 1'])
    expect(countReloads()).toBe(0)
  } finally {
    await second.close()
  }
})

test('the page reconnects after a silent loss of the connection', async () => {
  const server = await startServer()
  const cable = await startCable(server.url)
  await store(server.url, { subject: 'Mail 1' })
  const { page, countReloads } = await openInboxPage({ url: cable.url, token: server.signInToken })
  cable.pull()
  await store(server.url, { subject: 'Mail 2' })
  await untilState(page, 'waiting')
  await store(server.url, { subject: 'Mail 3' })
  expect(await subjectsIn(page)).toEqual(['Mail 1'])

  cable.plugIn()
  await untilState(page, 'live')
  await store(server.url, { subject: 'Mail 4' })
  await expect.poll(() => subjectsIn(page)).toContain('Mail 4')
  expect(await subjectsIn(page)).toEqual(['Mail 4', 'Mail 3', 'Mail 2', 'Mail 1'])
  expect(countReloads()).toBe(0)
})

test('the page shows that the browser is offline', async () => {
  const server = await startServer()
  await store(server.url, { subject: 'Mail 1' })
  const { page } = await openInboxPage({ url: server.url, token: server.signInToken })
  await page.context().setOffline(true)
  await untilState(page, 'offline')
  await store(server.url, { subject: 'Mail 2' })
  await page.context().setOffline(false)
  await untilState(page, 'live')
  await expect.poll(() => subjectsIn(page)).toEqual(['Mail 2', 'Mail 1'])
})

test('a click while the server does not respond does not leave the app', async () => {
  const server = await startServer()
  await store(server.url, { subject: 'Mail 1' })
  const { page } = await openInboxPage({ url: server.url, token: server.signInToken })
  const main = page.getByRole('navigation', { name: 'Main' })
  await page.context().setOffline(true)
  // Not loaded yet.
  await main.getByRole('link', { name: 'Settings' }).click()
  await page.getByText('This opens as soon as it is back.').first().waitFor()
  expect(new URL(page.url()).pathname).toBe('/settings')
  expect(await main.isVisible()).toBe(true)
  await page.context().setOffline(false)
  await page.getByRole('link', { name: 'About', exact: true }).click()
  const docs = page.getByRole('link', { name: '/docs' })
  await docs.waitFor()
  await page.context().setOffline(true)
  await docs.click()
  await page.getByText('It may have stopped, or you may be offline.').first().waitFor()
  expect(new URL(page.url()).pathname).toBe('/settings/about')
  await page.context().setOffline(false)
  // Control: with a server, the same click leaves the app.
  await docs.click()
  await page.waitForURL('**/docs')
})
