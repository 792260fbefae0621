import { describe, expect, test } from 'vitest'
import { giveToken } from '../../src/manage/one-time-tokens.ts'
import { newSecret } from '../../src/random.ts'
import { openWindow, signInByLink } from '../support/dashboard-session.ts'
import { barriersIn, buildDashboard, openChromium } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'
import { startPrefixProxy } from '../support/prefix-proxy.ts'

await buildDashboard()
const server = await startFileServer()
const people = await openPeople(server)
const sub = await startFileServer({ APP_URL: 'http://tools.example/test/mail' })
const subPeople = await openPeople(sub)
const browser = await openChromium()
const { url } = server

const { call, headers } = await people.operator()
await call.apiKeys.create.mutate({ name: 'A key that expires', expiresAt: new Date(Date.now() + 864e5).toISOString() })

test.each(['light', 'dark'] as const)('no barriers in dialogs and menus, %s', async (colorScheme) => {
  const { page } = await openWindow(browser, { url, headers, colorScheme })
  await page.goto('/settings/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('dialog').waitFor()
  expect(await barriersIn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Actions for A key/ }).click()
  await page.getByRole('menuitem', { name: 'Rotate' }).click()
  await page.getByRole('alertdialog').waitFor()
  expect(await barriersIn(page)).toEqual([])
})

test('a chosen theme is there before anything is drawn, also after a reload', async () => {
  const { page } = await openWindow(browser, { url, headers, colorScheme: 'light' })
  await page.goto('/settings')
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark')
  // Without the page's own code there is only the script in the document.
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.reload()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
})

test('keys lead through the pages, not while someone types, and can be switched off', async () => {
  const { page } = await openWindow(browser, { url, headers })
  await page.goto('/settings/team')
  await page.getByLabel('Name of the team').fill('')
  await page.getByLabel('Name of the team').pressSequentially('g k')
  expect(await page.getByLabel('Name of the team').inputValue()).toBe('g k')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  await page.keyboard.press('?')
  await page.getByLabel('Single keys do things').uncheck()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.keyboard.press('?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(new URL(page.url()).pathname).toBe('/settings/keys')
})

describe.each([true, false])('behind a proxy that keeps the path: %s', async (keepsPrefix) => {
  const proxy = await startPrefixProxy({ target: sub.url, prefix: '/test/mail', keepsPrefix })

  test('one signs in, moves about and reloads', async () => {
    const { id } = await subPeople.operator()
    const token = await giveToken({ store: subPeople.store, newSecret, now: Date.now }, id, 'sign-in')
    const { page, complaints } = await openWindow(browser, { url: `${proxy}/` })
    await signInByLink(page, token)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'API keys', exact: true }).click()
    await page.getByRole('cell', { name: 'First key', exact: true }).waitFor()
    expect(page.url()).toBe(`${proxy}/settings/keys`)
    await page.reload()
    await page.getByRole('cell', { name: 'First key', exact: true }).waitFor()
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(`${proxy}/sign-in`)
    expect(complaints).toEqual([])
  })
})
