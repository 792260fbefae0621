import { describe, expect, test } from 'vitest'
import { createToken } from '../../src/manage/one-time-tokens.ts'
import { newSecret } from '../../src/random.ts'
import { openWindow, reuseWindows, signInByLink } from '../support/dashboard-session.ts'
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
const open = reuseWindows(browser, url)

const { call, headers } = await people.operator()
await call.apiKeys.create.mutate({ name: 'A key that expires', expiresAt: new Date(Date.now() + 864e5).toISOString() })

test.each(['light', 'dark'] as const)('no accessibility violations in dialogs and menus, %s', async (colorScheme) => {
  const { page } = await open({ headers, colorScheme })
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

test.each(['light', 'dark'] as const)(
  'no accessibility violations where a member leaves the team, %s',
  async (colorScheme) => {
    const { join } = await people.newTeam()
    const member = await people.person()
    await join(member)
    const { page, complaints } = await open({
      headers: member.headers,
      colorScheme,
      // A dialog that still fades in has less contrast.
      reducedMotion: 'reduce',
    })
    await page.goto('/settings/team')
    await page.getByRole('button', { name: 'Leave team' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.waitFor()
    expect(await barriersIn(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Your team' }).waitFor()
    expect(await people.role(member.id)).toBeNull()
    expect(new URL(page.url()).pathname).toBe('/')
    expect(complaints).toEqual([])
  },
)

test('a chosen theme is set before the first paint, also after a reload', async () => {
  const { page } = await open({ headers, colorScheme: 'light' })
  await page.goto('/settings')
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark')
  // Without the page's own code, only the script in the document runs.
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.reload()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
})

test('shortcuts open the pages, not while the user types, and can be disabled', async () => {
  const { page } = await open({ headers })
  await page.goto('/settings/team')
  await page.getByLabel('Team name').fill('')
  await page.getByLabel('Team name').pressSequentially('g k')
  expect(await page.getByLabel('Team name').inputValue()).toBe('g k')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  await page.keyboard.press('?')
  await page.getByLabel('Enable keyboard shortcuts').uncheck()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.keyboard.press('?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(new URL(page.url()).pathname).toBe('/settings/keys')
})

test('commands are found by name, on every page and with shortcuts disabled', async () => {
  const { id } = await server.store({ mailbox: 'qa', tag: 'palette', plainContent: 'Your code is 734512' })
  const { page, complaints } = await openWindow(browser, { url, headers })
  await page.addInitScript(() => localStorage.setItem('mailhatch.keys', 'off'))
  await page.goto('/settings/team')
  await page.getByLabel('Team name').focus()
  const palette = page.getByRole('dialog', { name: 'Commands' })
  const chosen = palette.getByRole('option', { selected: true })
  /** Types until Enter would run this command. */
  const choose = async (typed: string, name: string | RegExp) => {
    await page.keyboard.press('Control+k')
    await palette.getByRole('option', { name: /^Copy code/ }).waitFor()
    await page.keyboard.type(typed)
    await chosen.and(page.getByRole('option', { name })).waitFor()
    await page.keyboard.press('Enter')
    await palette.waitFor({ state: 'detached' })
  }
  await choose('code', 'Copy code 734512 Newest')
  await page.getByText('Copied 734512').first().waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('734512')
  await choose('webh', 'Webhooks Settings')
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  await choose('dark', 'Dark theme Theme')
  await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark')
  await choose('+palette', 'qa+palette@mailhatch.test Address')
  await page.locator(`[data-message="${id}"]`).waitFor()
  await choose('shortcuts', 'Keyboard shortcuts Help')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Ctrl+K', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await choose('subject:nothing', 'Search mail for subject:nothing Mail')
  await page.getByText('No matching mail').waitFor()
  await choose('test mail', 'Send a test mail Mail')
  await page
    .getByText(/^Sent to /)
    .first()
    .waitFor()

  await page.keyboard.press('Control+k')
  await palette.getByRole('option', { name: /^Copy code/ }).waitFor()
  const texts = await palette.getByRole('option').allInnerTexts()
  await page.keyboard.press('ArrowUp')
  expect(await chosen.innerText()).toBe(texts.at(-1))
  expect(texts.at(-1)).toContain('Sign out')
  await page.keyboard.press('ArrowDown')
  expect(await chosen.innerText()).toBe(texts[0])
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  await choose('sign out', 'Sign out Account')
  await page.waitForURL('**/sign-in')
  expect(complaints).toEqual([])
})

describe.each([true, false])('behind a proxy that keeps the path: %s', async (keepsPrefix) => {
  const proxy = await startPrefixProxy({ target: sub.url, prefix: '/test/mail', keepsPrefix })

  test('a user signs in, opens pages and reloads', async () => {
    const { id } = await subPeople.operator()
    const token = await createToken({ store: subPeople.store, newSecret, now: Date.now }, id, 'sign-in')
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
