import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { openWindow, reuseWindows } from '../support/dashboard-session.ts'
import { barriersIn, buildDashboard, openChromium } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'
import { startServer } from '../support/server.ts'

const SOURCE = resolve(import.meta.dirname, '../../../dashboard/src')
/** The narrowest screen in use. */
const NARROW = { width: 320, height: 640 }
const WIDE = { width: 1280, height: 800 }
/** Rules of axe whose result depends on the theme or the width. All of its rules take longer. */
const VARYING_RULES = [
  'aria-hidden-focus',
  'button-name',
  'color-contrast',
  'heading-order',
  'label',
  'landmark-unique',
  'link-name',
  'region',
]
/** During a transition between themes, colours have the contrast of neither. */
const STILL = { reducedMotion: 'reduce' } as const
const EVENT = 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Launch\r\nLOCATION:Room 1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
/** A page has fewer tab stops. */
const STOPS_MAX = 60

await buildDashboard()
const server = await startFileServer()
const people = await openPeople(server)
const browser = await openChromium()
const { url } = server
const open = reuseWindows(browser, url)

const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
await transport.sendMail({
  from: 'Shop <shop@shop.example>',
  to: 'qa+signup@mailhatch.test',
  subject: 'Your code is 482913',
  text: 'Your code is 482913. Or open https://shop.example/verify?token=x',
  html: '<p>Your code is <b>482913</b>. <a href="https://shop.example/verify?token=x">Verify</a></p>',
  attachments: [
    { filename: 'terms.txt', content: 'Be kind.' },
    { filename: 'bill.pdf', content: '%PDF-1.4', contentType: 'application/pdf' },
    { filename: 'event.ics', content: EVENT, contentType: 'text/calendar' },
  ],
})
const { id: messageId } = await new Mailhatch(server).messages.waitFor({ mailbox: 'qa' })
const operator = await people.operator()
const { call } = operator
await call.apiKeys.create.mutate({ name: 'A key that expires', expiresAt: new Date(Date.now() + 864e5).toISOString() })
const { endpoint } = await call.webhooks.create.mutate({ url: 'https://hooks.example/mail', description: 'Orders' })
await transport.sendMail({ from: 'shop@shop.example', to: 'anna@gmail.com', subject: 'Hello', html: '<p>Hello</p>' })
const otherId = await vi.waitFor(async () => (await call.inbox.others.list.query({})).messages[0]!.id)
const guest = await people.person({ email: 'someone@acme.example' })
const invite = await call.team.invite.mutate({ email: guest.email })
const { owner: newcomer, join } = await people.newTeam()
const member = await people.person()
await join(member)

const VISITORS = {
  stranger: {},
  owner: { headers: operator.headers },
  newcomer: { headers: newcomer.headers },
  guest: { headers: guest.headers },
  member: { headers: member.headers },
}

type Visit = { path: string; as?: keyof typeof VISITORS }

/** Every route of the dashboard, with URLs that show its states. */
const VISITS: Record<string, Visit[]> = {
  '/sign-in': strangers('/sign-in', '/sign-in?token=x'),
  '/sign-up': strangers('/sign-up', '/sign-up?invite=x'),
  '/reset': strangers('/reset', '/reset?token=x'),
  '/check': strangers('/check?token=x'),
  '/teams': [
    { path: '/teams?invite=x' },
    { path: `/teams?invite=${invite.id}`, as: 'guest' },
    { path: '/', as: 'guest' },
  ],
  '/': [{ path: '/' }, { path: '/?q=nothing-like-it' }, { path: '/', as: 'newcomer' }],
  '/m/:id': [
    { path: '/m/01a1de8f-e5cf-7ccc-815e-d07e2755b856' },
    ...['html', 'text', 'links', 'attachments', 'headers', 'source', 'raw', 'json'].map((tab) => ({
      path: `/m/${messageId}?tab=${tab}`,
    })),
  ],
  '/a/:address': [{ path: '/a/qa%2Bsignup%40mailhatch.test' }, { path: '/a/anna%40gmail.com' }],
  '/other': [{ path: '/other' }, { path: '/other', as: 'newcomer' }],
  '/other/:id': [{ path: `/other/${otherId}` }, { path: '/other/01a1de8f-e5cf-7ccc-815e-d07e2755b856' }],
  '/settings/*?': [{ path: '/settings/nothing' }],
  '/settings/webhooks/:id': [{ path: `/settings/webhooks/${endpoint.id}` }, { path: '/settings/webhooks/x' }],
  ...Object.fromEntries(
    ['', '/setup', '/keys', '/webhooks', '/mailboxes', '/domain', '/team', '/usage', '/billing', '/account', '/about']
      .map((page) => `/settings${page}`)
      .map((path) => [path, [{ path }]]),
  ),
  '/settings/team': [{ path: '/settings/team' }, { path: '/settings/team', as: 'member' }],
}

function strangers(...paths: string[]): Visit[] {
  return paths.map((path) => ({ path, as: 'stranger' }))
}

test('every route is checked', () => {
  const files = ['app.tsx', 'settings/sections.ts', 'settings/settings-pages.tsx']
  const source = files.map((file) => readFileSync(resolve(SOURCE, file), 'utf8')).join('\n')
  const routes = Array.from(source.matchAll(/\bpath(?:="|: ')(\/[^"']*)/g), ([, route]) => route!)
  expect(routes.length).toBeGreaterThan(15)
  expect(Object.keys(VISITS).toSorted()).toEqual(routes.toSorted())
})

const ADDRESSES = Object.entries(VISITS).flatMap(([route, visits]) =>
  visits.map((visit, index) => ({ ...visit, name: `${route} (${index + 1} of ${visits.length})` })),
)

test.each(ADDRESSES)('no accessibility violations in either theme: $name', async ({ path, as = 'owner' }) => {
  const { page, complaints } = await open({ viewport: NARROW, colorScheme: 'light', ...STILL, ...VISITORS[as] })
  await page.goto(path)
  await untilDrawn(page)
  await expectNoBarriers(page, `${path}, light and narrow`)
  await page.setViewportSize(WIDE)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark')
  await expectNoBarriers(page, `${path}, dark and wide`, VARYING_RULES)
  expect(complaints).toEqual([])
})

async function expectNoBarriers(page: Page, where: string, rules?: string[]): Promise<void> {
  expect(await page.getByRole('heading', { level: 1 }).count(), where).toBe(1)
  expect(await page.getByRole('main').count(), where).toBe(1)
  expect(await widthOf(page), where).toBeLessThanOrEqual(page.viewportSize()!.width)
  expect(await barriersIn(page, rules), where).toEqual([])
}

/** Popups over the inbox, and how to open each. */
const OPENED: Record<string, (page: Page) => Promise<void>> = {
  'test code': (page) => page.getByRole('button', { name: 'Test code' }).click(),
  'missing mail': (page) => page.getByRole('button', { name: 'Missing mail?' }).click(),
  keys: (page) => page.keyboard.press('?'),
  commands: (page) => page.keyboard.press('Control+k'),
  'search help': (page) => page.getByRole('button', { name: 'Search help' }).click(),
  'delete all': async (page) => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: /^Delete all/ }).click()
  },
}

test.each(['light', 'dark'] as const)('no accessibility violations in dialogs, %s', async (colorScheme) => {
  const { page } = await open({ headers: operator.headers, viewport: WIDE, colorScheme, ...STILL })
  await page.goto(`/m/${messageId}`)
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  for (const [name, openPart] of Object.entries(OPENED)) {
    await openPart(page)
    await dialog.waitFor()
    await untilDrawn(page)
    expect(await barriersIn(page), name).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
})

test('control: violations are found', async () => {
  const { page } = await open()
  await page.goto('/sign-in')
  await page.getByLabel('Password').evaluate((input) => document.querySelector(`label[for="${input.id}"]`)!.remove())
  expect(await barriersIn(page)).toEqual([expect.stringContaining('label')])
})

describe('with the keyboard alone', () => {
  test('a user signs in by link, sends and opens a mail, and copies its code with Tab and Enter', async () => {
    const own = await startServer()
    const { page, complaints } = await openWindow(browser, { url: own.url, viewport: WIDE })
    await page.goto(`/sign-in?token=${own.signInToken}`)
    await tabTo(page, page.getByRole('button', { name: 'Sign in' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Send a test mail' }))
    await page.keyboard.press('Enter')
    const row = page.getByRole('list', { name: 'Messages' }).getByRole('link')
    await tabTo(page, row)
    await page.keyboard.press('Enter')
    const chip = page.getByRole('button', { name: /^Code \d+/ })
    await tabTo(page, chip)
    await page.keyboard.press('Enter')
    await chip.getByText('Copied').waitFor()
    const code = await page.evaluate(() => navigator.clipboard.readText())
    expect(await row.innerText()).toContain(`${code} is your verification code`)
    expect(complaints).toEqual([])
  })

  test('shortcuts do the same, and return to the previous place', async () => {
    const { page } = await open({ headers: operator.headers, viewport: WIDE })
    await page.goto('/')
    const row = page.getByRole('list', { name: 'Messages' }).getByRole('link')
    await row.waitFor()
    await page.keyboard.press('j')
    await untilFocused(row)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Code \d+/ }).waitFor()
    await page.keyboard.press('c')
    await page.getByText('Copied', { exact: true }).first().waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('482913')
    await page.keyboard.press('u')
    await page.getByRole('button', { name: /^Code \d+/ }).waitFor({ state: 'detached' })
    await untilFocused(row)
  })
})

/** Presses Tab until the element has focus, and checks that every element on the way is visible. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    const place = await page.evaluate(() => {
      const { activeElement: element, body } = document
      if (!element || element === body) return { element: 'none', isSeen: true }
      return { element: element.outerHTML.slice(0, 200), isSeen: getComputedStyle(element).outlineStyle !== 'none' }
    })
    expect(place).toMatchObject({ isSeen: true })
    if (await isFocused(target)) return
    await page.keyboard.press('Tab')
  }
  expect.unreachable(`Tab does not lead to ${String(target)}`)
}

async function untilFocused(target: Locator): Promise<void> {
  await expect.poll(() => isFocused(target)).toBe(true)
}

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement)
}

/** The heading is visible and nothing is loading. */
async function untilDrawn(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page.waitForFunction(() => document.querySelector('p[aria-live=polite]:not([role=status])') === null)
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.max(document.documentElement.scrollWidth, document.querySelector('main')?.scrollWidth ?? 0),
  )
}
