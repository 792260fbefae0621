import { Mailhatch } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { reuseWindows } from '../support/dashboard-session.ts'
import { barriersIn, buildDashboard, openChromium } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'

/** The narrowest screen in use. */
const NARROW = { width: 320, height: 640 }
export const WIDE = { width: 1280, height: 800 }
/** Rules of axe whose result depends on the theme or the width. All of its rules take longer. */
export const VARYING_RULES = [
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
export const STILL = { reducedMotion: 'reduce' } as const
const EVENT = 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Launch\r\nLOCATION:Room 1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'

type Visitor = 'stranger' | 'owner' | 'newcomer' | 'guest' | 'member'
type Visit = { path: string; as?: Visitor }

/** A server with something on every page, a browser, and people who visit. Call it at the top level of a file. */
export async function startVisits() {
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
  await call.apiKeys.create.mutate({
    name: 'A key that expires',
    expiresAt: new Date(Date.now() + 864e5).toISOString(),
  })
  const { endpoint } = await call.webhooks.create.mutate({ url: 'https://hooks.example/mail', description: 'Orders' })
  await transport.sendMail({ from: 'shop@shop.example', to: 'anna@gmail.com', subject: 'Hello', html: '<p>Hello</p>' })
  const otherId = await vi.waitFor(async () => (await call.inbox.others.list.query({})).messages[0]!.id)
  const guest = await people.person({ email: 'someone@acme.example' })
  const invite = await call.team.invite.mutate({ email: guest.email })
  const { owner: newcomer, join } = await people.newTeam()
  const member = await people.person()
  await join(member)

  const VISITORS: Record<Visitor, { headers?: typeof operator.headers }> = {
    stranger: {},
    owner: { headers: operator.headers },
    newcomer: { headers: newcomer.headers },
    guest: { headers: guest.headers },
    member: { headers: member.headers },
  }

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
      [
        '',
        '/setup',
        '/keys',
        '/webhooks',
        '/mailboxes',
        '/scenarios',
        '/domain',
        '/team',
        '/usage',
        '/billing',
        '/account',
        '/about',
      ]
        .map((page) => `/settings${page}`)
        .map((path) => [path, [{ path }]]),
    ),
    '/settings/team': [{ path: '/settings/team' }, { path: '/settings/team', as: 'member' }],
  }

  return { visits: VISITS, visitors: VISITORS, browser, open, operator, messageId }
}

function strangers(...paths: string[]): Visit[] {
  return paths.map((path) => ({ path, as: 'stranger' }))
}

/** Visits every URL. Of each route, the first one or all are visited in both themes. */
export function testVisits(
  { visits, visitors, open }: Awaited<ReturnType<typeof startVisits>>,
  { isAllInBoth }: { isAllInBoth: boolean },
): void {
  const addresses = Object.entries(visits).flatMap(([route, ofRoute]) =>
    ofRoute.map((visit, index) => ({
      ...visit,
      name: `${route} (${index + 1} of ${ofRoute.length})`,
      isInBoth: isAllInBoth || index === 0,
    })),
  )

  test.each(addresses)('no accessibility violations: $name', async ({ path, as = 'owner', isInBoth }) => {
    const { page, complaints } = await open({ viewport: NARROW, colorScheme: 'light', ...STILL, ...visitors[as] })
    await page.goto(path)
    await untilDrawn(page)
    await expectNoBarriers(page, `${path}, light and narrow`)
    if (isInBoth) {
      await page.setViewportSize(WIDE)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark')
      await expectNoBarriers(page, `${path}, dark and wide`, VARYING_RULES)
    }
    expect(complaints).toEqual([])
  })
}

async function expectNoBarriers(page: Page, where: string, rules?: string[]): Promise<void> {
  expect(await page.getByRole('heading', { level: 1 }).count(), where).toBe(1)
  expect(await page.getByRole('main').count(), where).toBe(1)
  expect(await widthOf(page), where).toBeLessThanOrEqual(page.viewportSize()!.width)
  expect(await barriersIn(page, rules), where).toEqual([])
}

/** The heading is visible and nothing is loading. */
export async function untilDrawn(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page.waitForFunction(() => document.querySelector('p[aria-live=polite]:not([role=status])') === null)
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.max(document.documentElement.scrollWidth, document.querySelector('main')?.scrollWidth ?? 0),
  )
}
