import type { Announcement } from '@mailhatch/sdk'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { reuseWindows } from '../support/dashboard-session.ts'
import { barriersIn, buildDashboard, openChromium } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'

await buildDashboard()
const server = await startFileServer()
const people = await openPeople(server)
const browser = await openChromium()
const open = reuseWindows(browser, server.url)

const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 375, height: 740 }
const ATTACHMENT = { index: 0, filename: 'a.txt', contentType: 'text/plain', size: 9, contentId: null, inline: false }

/** A team of its own with this mail, and its inbox in a window. */
async function openInbox(mails: Partial<Announcement>[] = []) {
  const { owner, team } = await people.newTeam()
  const { name, domain } = await owner.call.inbox.mailboxes.create.mutate({ name: server.newMailbox() })
  await Promise.all(mails.map((mail) => server.store({ mailbox: name, domain, ...mail })))
  const { page, complaints } = await open({ headers: owner.headers, viewport: WIDE, reducedMotion: 'reduce' })
  return { page, complaints, owner, team, name, domain }
}

const rowsOf = (page: Page) => page.locator('[data-message]')

/** Subjects in the list, once these are shown in any order. */
async function expectSubjects(page: Page, subjects: string[]): Promise<void> {
  const shown = async () => (await page.locator('[data-message] [data-subject]').allInnerTexts()).toSorted()
  await expect.poll(shown).toEqual(subjects.toSorted())
}

/** Follows a link to the search, without loading the page again. */
async function search(page: Page, text: string): Promise<void> {
  await page.evaluate((path) => history.pushState(null, '', path), `/?q=${encodeURIComponent(text)}`)
}

/** No findings of axe, in light on a phone and in dark on a wide screen. */
async function expectNoBarriers(page: Page, where: string): Promise<void> {
  for (const [viewport, colorScheme, rules] of [
    [PHONE, 'light', undefined],
    [WIDE, 'dark', ['color-contrast']],
  ] as const) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    await page.waitForFunction((theme) => document.documentElement.dataset['theme'] === theme, colorScheme)
    expect(await barriersIn(page, rules && [...rules]), `${where}, ${colorScheme}`).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth), where).toBeLessThanOrEqual(viewport.width)
  }
}

test('a row shows the first words of its message and copies the code with one click', async () => {
  const { page, complaints, name, domain } = await openInbox([
    { subject: 'Sign in', plainContent: 'Hello Ada,\r\n\r\nyour code is 482913.', rawContent: '' },
    { subject: 'Sale', plainContent: '', rawContent: '<style>p{}</style><p>Everything&zwnj;&nbsp;&zwnj; must go</p>' },
  ])
  await page.goto('/')
  const row = (subject: string) => page.getByRole('listitem').filter({ has: page.getByText(subject, { exact: true }) })
  await row('Sign in').getByText('Hello Ada, your code is 482913.').waitFor()
  await row('Sale').getByText('Everything must go').waitFor()
  expect(
    await row('Sale')
      .getByRole('button', { name: /^Copy code/ })
      .count(),
  ).toBe(0)
  await row('Sign in').getByRole('button', { name: 'Copy code 482913' }).click()
  await page.getByText('Copied 482913').first().waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('482913')
  // The click does not open the message.
  expect(new URL(page.url()).pathname).toBe('/')

  await server.store({ mailbox: name, domain, subject: 'Late', plainContent: 'Here is 774411, your code' })
  await row('Late').getByText('Here is 774411, your code').waitFor()
  await row('Late').getByRole('button', { name: 'Copy code 774411' }).waitFor()
  await expectNoBarriers(page, 'rows')
  expect(complaints).toEqual([])
})

test('words of the search box find messages, also by what they lack', async () => {
  const { page, complaints, name, domain, owner } = await openInbox([
    { subject: 'Old', receivedAt: '2026-01-30T12:00:00Z', size: 900 },
    { subject: 'File', attachments: [ATTACHMENT], size: 40_000, tag: 'files' },
    { subject: 'Code', plainContent: 'Your code is 482913', size: 2_000, from: 'bank@bank.example' },
    { subject: 'Both', plainContent: 'Your code is 993377', attachments: [ATTACHMENT], size: 3_000 },
    { subject: 'Talk', plainContent: 'about form:shop and has:attachment', size: 1_000 },
  ])
  const expected: [string, string[]][] = [
    ['has:attachment', ['File', 'Both']],
    ['-has:attachment', ['Old', 'Code', 'Talk']],
    ['has:code', ['Code', 'Both']],
    ['has:code -has:attachment', ['Code']],
    ['before:2026-01-31', ['Old']],
    ['after:1h -from:bank -tag:files', ['Both', 'Talk']],
    ['larger:2k', ['File', 'Both']],
    ['smaller:1k', ['Old', 'Talk']],
    ['code -993377', ['Code']],
    ['-subject:old -subject:file -has:code', ['Talk']],
    ['"has:attachment"', ['Talk']],
  ]
  await page.goto('/')
  for (const [typed, subjects] of expected) {
    await search(page, typed)
    await expectSubjects(page, subjects)
  }

  // A search is live: what it excludes does not appear.
  await search(page, 'has:attachment -tag:files')
  await expectSubjects(page, ['Both'])
  await page.locator('[data-connection=live]').waitFor()
  await server.store({ mailbox: name, domain, subject: 'No file' })
  await server.store({ mailbox: name, domain, subject: 'Excluded', attachments: [ATTACHMENT], tag: 'files' })
  await server.store({ mailbox: name, domain, subject: 'Arrived', attachments: [ATTACHMENT] })
  await expectSubjects(page, ['Both', 'Arrived'])

  // An unknown word is marked, searched as text, and cannot delete.
  await page.getByLabel('Search mail').fill('form:shop')
  await page.keyboard.press('Enter')
  await page.getByText('form: is not a search word.').waitFor()
  await page.getByRole('button', { name: 'Remove filter has:attachment' }).click()
  await page.getByRole('button', { name: 'Remove filter -tag:files' }).click()
  await expectSubjects(page, ['Talk'])
  await page.getByRole('button', { name: 'More', exact: true }).click()
  expect(await page.getByRole('menuitem', { name: 'Delete all results…' }).getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('Escape')
  await expectNoBarriers(page, 'a marked word')

  // Words delete exactly what they find.
  expect(await owner.call.inbox.messages.count.query({ without: [{ hasAttachment: true }] })).toMatchObject({
    count: 4,
  })
  await owner.call.inbox.messages.removeAll.mutate({ without: [{ hasAttachment: true }] })
  await page.goto('/')
  await expectSubjects(page, ['File', 'Both', 'Excluded', 'Arrived'])
  expect(complaints).toEqual([])
})

test('the search help explains the words, and the API knows none of them', async () => {
  const { page, complaints } = await openInbox([{ subject: 'Hello' }])
  await page.goto('/')
  await page.getByRole('button', { name: 'Search help' }).click()
  const help = page.getByRole('dialog', { name: 'Search words' })
  await help.getByText('has:attachment', { exact: true }).waitFor()
  expect(await barriersIn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  expect(complaints).toEqual([])

  await server.store({ domain: 'mailhatch.test', subject: 'With a file', attachments: [ATTACHMENT] })
  const literal = await server.store({ domain: 'mailhatch.test', subject: 'Try has:attachment today' })
  const answer = await fetch(`${server.url}/v1/messages?q=${encodeURIComponent('has:attachment')}`, {
    headers: { authorization: `Bearer ${server.apiKey}` },
  })
  const { data } = (await answer.json()) as { data: { id: string }[] }
  expect(data.map(({ id }) => id)).toEqual([literal.id])
})

test('all results are selected or marked as read, also those that are not loaded yet', async () => {
  // One more than a page.
  const mails = Array.from({ length: 101 }, (_, index) => ({ subject: `Mail ${index}`, tag: 'many' }))
  const few = ['First', 'Second'].map((subject) => ({ subject, tag: 'few' }))
  const { page, complaints, owner } = await openInbox([...mails, ...few])
  await page.goto('/?q=tag:many')
  await rowsOf(page).first().waitFor()
  const box = page.getByRole('checkbox', { name: 'Select all' })
  await box.check()
  await page.getByText('101 selected').first().waitFor()
  expect(await barriersIn(page, ['label', 'color-contrast'])).toEqual([])
  await box.uncheck()
  await page.getByRole('group', { name: 'Selection' }).waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Mark all results as read' }).click()
  await page.getByRole('link', { name: 'All mail 2 unread of 103' }).waitFor()
  await search(page, 'is:unread')
  await expectSubjects(page, ['First', 'Second'])
  // An opened message stays in the list until the next search.
  await rowsOf(page).filter({ hasText: 'Second' }).click()
  await page.getByRole('heading', { level: 2, name: 'Second' }).waitFor()
  expect(await rowsOf(page).count()).toBe(2)
  await search(page, '-is:unread tag:few')
  await expectSubjects(page, ['Second'])
  await search(page, 'is:unread')
  await expectSubjects(page, ['First'])
  // The server knows what is unread, so that nothing else can be deleted.
  await page.getByRole('button', { name: 'More', exact: true }).click()
  expect(await page.getByRole('menuitem', { name: 'Delete all results…' }).getAttribute('aria-disabled')).toBeNull()
  await page.getByRole('menuitem', { name: 'Mark all results as read' }).click()
  await expectSubjects(page, [])
  await search(page, '-is:unread subject:second')
  await expectSubjects(page, ['Second'])

  await page.keyboard.press('a')
  await page.getByText('1 selected').first().waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(() => owner.call.inbox.messages.count.query({ tag: 'few' })).toMatchObject({ count: 1 })
  expect(complaints).toEqual([])
})

test('tags are grouped by prefix, and those used once are folded', async () => {
  const once = ['7f3a', '91bc', '02de', '55aa']
  const tags = ['login', 'login', 'signup-x7', 'signup-k2', 'signup-p9', ...once]
  const { page, complaints } = await openInbox(tags.map((tag) => ({ tag, subject: `To ${tag}` })))
  await page.goto('/')
  const sidebar = page.getByRole('navigation', { name: 'Mailboxes and tags' })
  const group = sidebar.getByRole('button', { name: '+signup…' })
  await group.waitFor()
  await sidebar.getByRole('link', { name: '+login' }).waitFor()
  expect(await sidebar.getByRole('link', { name: /^\+(signup|7f3a)/ }).count()).toBe(0)
  await group.click()
  expect(await sidebar.getByRole('link', { name: /^\+signup-/ }).count()).toBe(3)
  await sidebar.getByRole('button', { name: 'Used once' }).click()
  expect(await sidebar.getByRole('link', { name: /^\+[0-9]/ }).count()).toBe(once.length)
  expect(await barriersIn(page)).toEqual([])
  await sidebar.getByRole('link', { name: '+signup-k2' }).click()
  await expectSubjects(page, ['To signup-k2'])
  await page.reload()
  // The group of the current tag is open.
  await sidebar.getByRole('link', { name: '+signup-k2' }).waitFor()
  expect(complaints).toEqual([])
})
