import { accept, Mailhatch, reject } from '@mailhatch/sdk'
import type { Page } from 'playwright-core'
import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { openWindow, reuseWindows } from '../../../server/test/support/dashboard-session.ts'
import { buildDashboard, openChromium } from '../../../server/test/support/dashboard.ts'
import { startFileServer } from '../../../server/test/support/file-server.ts'
import { openPeople } from '../../../server/test/support/people.ts'

await buildDashboard()
const server = await startFileServer()
const people = await openPeople(server)
const operator = await people.operator()
const browser = await openChromium()
const { url } = server

async function sendMail(mail: { to: string; subject: string; html?: string; text?: string }): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
  await transport.sendMail({ from: '"The Shop" <app@shop.example>', text: 'Hello', ...mail })
  transport.close()
}

const openReused = reuseWindows(browser, url)
const open = (options = {}) => openReused({ headers: operator.headers, ...options })
const rowsOf = (page: Page) => page.locator('[data-message]')
const rowWith = (page: Page, subject: string) => rowsOf(page).filter({ hasText: subject })
const isLive = (page: Page) => page.locator('[data-connection=live]').waitFor()

test('the empty inbox sends a test mail with one click, and its code can be copied by keyboard alone', async () => {
  const { page, complaints } = await open()
  await page.goto('/')
  await isLive(page)
  const send = page.getByRole('button', { name: 'Send a test mail' })
  await send.focus()
  const pressedAt = performance.now()
  await page.keyboard.press('Enter')
  await rowsOf(page).first().waitFor()
  console.log(`a mail is shown ${Math.round(performance.now() - pressedAt)} ms after the request`)
  await send.waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const code = page.getByRole('button', { name: /^Code \d{6} Copy$/ })
  await code.waitFor()
  const [value] = /\d{6}/.exec(await code.innerText())!
  await page.keyboard.press('c')
  await page.getByText('Copied').first().waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(value)
  const mail = page.frameLocator('iframe[title="HTML content of the message"]')
  await mail.getByRole('heading', { name: 'Welcome to Mailhatch!' }).waitFor()
  await page.keyboard.press('y')
  await page.getByRole('dialog', { name: 'Copy as test code' }).getByText('waitFor').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press(']')
  await page.waitForURL(/tab=text/)
  expect(await page.locator('mark').innerText()).toBe(value)
  await page.keyboard.press('u')
  await page.waitForURL(`${url}/`)
  expect(complaints).toEqual([])
})

test('a long list renders few rows, loads each page once, and does not move when new mail arrives', async () => {
  const { owner } = await people.newTeam()
  const { name, domain } = await owner.call.inbox.mailboxes.create.mutate({ name: 'many' })
  const stored = Array.from({ length: 250 }, (_, index) =>
    server.store({ mailbox: name, domain, to: `${name}@${domain}`, subject: `Message ${index}` }),
  )
  await Promise.all(stored)
  const { page } = await open({ headers: owner.headers })
  let requests = 0
  page.on('request', (request) => (requests += request.url().includes('messages.list') ? 1 : 0))
  await page.goto('/')
  await isLive(page)
  await rowsOf(page).first().waitFor()
  const scroller = page.locator('ul[aria-label=Messages]').locator('..')
  const scrollBy = (pixels: number) => scroller.evaluate((element, by) => (element.scrollTop += by), pixels)
  const rendered: number[] = []
  const scrollOn = async () => {
    await scrollBy(1_500)
    rendered.push(await rowsOf(page).count())
    return page.locator('li[aria-setsize="250"][aria-posinset="250"]').count()
  }
  await expect.poll(scrollOn).toBe(1)
  expect(Math.max(...rendered)).toBeLessThanOrEqual(100)
  expect(requests).toBe(3)

  const place = await scroller.evaluate((element) => element.scrollTop)
  for (const subject of ['Fresh 1', 'Fresh 2', 'Fresh 3']) await server.store({ mailbox: name, domain, subject })
  const pill = page.getByRole('button', { name: '3 new' })
  await pill.waitFor()
  expect(await scroller.evaluate((element) => element.scrollTop)).toBe(place)
  await pill.click()
  await rowWith(page, 'Fresh 3').waitFor()
  expect(await scroller.evaluate((element) => element.scrollTop)).toBe(0)
  expect(requests).toBe(3)
})

test('the search is in the URL, and a link restores it', async () => {
  await sendMail({ to: 'qa+found@mailhatch.test', subject: 'Needle in a haystack' })
  const { page } = await open()
  await page.goto('/')
  await isLive(page)
  await page.keyboard.press('/')
  await page.keyboard.type('subject:needle tag:found')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=subject/)
  await expect.poll(() => rowsOf(page).count()).toBe(1)
  await rowsOf(page).first().click()
  const link = page.url()
  const another = await open()
  await another.page.goto(link)
  await another.page.getByRole('heading', { name: 'Needle in a haystack' }).waitFor()
  await another.page.getByRole('button', { name: 'Remove filter tag:found' }).waitFor()
  for (const path of ['/a/qa+found@mailhatch.test', '/a/qa%2Bfound%40mailhatch.test']) {
    await another.page.goto(path)
    await another.page.getByRole('button', { name: 'Remove filter mailbox:qa+found@mailhatch.test' }).waitFor()
    await expect.poll(() => rowsOf(another.page).count()).toBe(1)
  }
})

test('a deletion can be undone for some seconds', async () => {
  for (const subject of ['Kept', 'Deleted']) await sendMail({ to: 'qa+removal@mailhatch.test', subject })
  const { page } = await open()
  await page.goto('/?q=tag:removal')
  await isLive(page)
  const removeFirst = async () => {
    await rowWith(page, 'Deleted').focus()
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('#')
    await rowWith(page, 'Deleted').waitFor({ state: 'detached' })
  }
  await removeFirst()
  await page.getByRole('button', { name: 'Undo' }).click()
  await rowWith(page, 'Deleted').waitFor()
  await removeFirst()
  const { count } = operator.call.inbox.messages
  await expect.poll(() => count.query({ tag: 'removal' })).toEqual({ count: 1, isExact: true })
  await rowWith(page, 'Kept').waitFor()
})

test('remote images load only after the user allows them', async () => {
  const html = '<h1>Picture</h1><img src="https://tracker.example/pixel.png">'
  await sendMail({ to: 'qa+picture@mailhatch.test', subject: 'With a picture', html })
  const { page } = await open()
  const requested: string[] = []
  await page.context().route('https://tracker.example/**', (route) => {
    requested.push(route.request().url())
    return route.abort()
  })
  await page.goto('/?q=tag:picture')
  await rowsOf(page).first().click()
  const mail = page.frameLocator('iframe')
  await mail.getByRole('heading', { name: 'Picture' }).waitFor()
  expect(requested).toEqual([])
  await page.getByRole('button', { name: 'Show once' }).click()
  await expect.poll(() => requested).toEqual(['https://tracker.example/pixel.png'])
})

test('a mail can be shown in its dark and its light colour scheme, independent of the page', async () => {
  const html =
    '<style>h1 { color: #000 } @media (prefers-color-scheme: dark) { h1 { color: #fff } }</style><h1>Hello</h1>'
  await sendMail({ to: 'qa+colours@mailhatch.test', subject: 'With dark colours', html })
  // Otherwise Playwright overrides prefers-color-scheme, also in frames.
  const { page, complaints } = await open({ colorScheme: null })
  await page.goto('/?q=tag:colours')
  await rowsOf(page).first().click()
  const heading = page.frameLocator('iframe').getByRole('heading', { name: 'Hello' })
  const colour = () => heading.evaluate((element) => getComputedStyle(element).color)
  const choices = page.getByRole('group', { name: 'Colour scheme' })
  for (const [name, shown] of [
    ['Dark', 'rgb(255, 255, 255)'],
    ['Light', 'rgb(0, 0, 0)'],
  ] as const) {
    await choices.getByRole('button', { name }).click()
    await expect.poll(colour).toBe(shown)
    expect(await choices.getByRole('button', { pressed: true }).innerText()).toBe(name)
  }
  expect(complaints).toEqual([])
})

test('the selected tab is scrolled into view if there is no room for all tabs', async () => {
  const { id } = await server.store({ domain: 'mailhatch.test' })
  const { page } = await open({ viewport: { width: 1024, height: 700 } })
  for (const [tab, name] of [
    ['html', 'HTML'],
    ['json', 'JSON'],
  ]) {
    await page.goto(`/m/${id}?tab=${tab}`)
    const chosen = page.getByRole('tab', { name, selected: true })
    await chosen.waitFor()
    const isWhole = () =>
      chosen.evaluate((element) => {
        const list = element.parentElement!.getBoundingClientRect()
        const { left, right } = element.getBoundingClientRect()
        // Browsers scroll by whole pixels.
        return element.parentElement!.scrollWidth > list.width && left > list.left - 1 && right < list.right + 1
      })
    await expect.poll(isWhole).toBe(true)
  }
})

test('with notifications enabled, mail that arrives in a background tab shows one', async () => {
  const { page, complaints } = await openWindow(browser, { url, headers: operator.headers })
  // A headless browser has neither notifications nor background tabs.
  await page.addInitScript(() => {
    class FakeNotification extends EventTarget {
      static permission = 'default'
      static all: FakeNotification[] = []
      static requestPermission = async () => (FakeNotification.permission = 'granted')
      text: string
      constructor(title: string, { body = '' }: { body?: string }) {
        super()
        this.text = `${title}: ${body}`
        FakeNotification.all.push(this)
      }
      close() {}
    }
    Object.assign(window, { Notification: FakeNotification })
    Object.defineProperty(document, 'hidden', { get: () => 'isTabHidden' in window && window.isTabHidden === true })
  })
  const setTabHidden = (isTabHidden: boolean) =>
    page.evaluate((value) => {
      Object.assign(window, { isTabHidden: value })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isTabHidden)
  const notifications = () => page.evaluate('Notification.all.map(({ text }) => text)')
  const mail = (subject: string) => sendMail({ to: 'qa+notified@mailhatch.test', subject })

  await page.goto('/?q=tag:notified')
  await isLive(page)
  await setTabHidden(true)
  await mail('Notifications are off')
  await expect.poll(() => page.title()).toBe('(1) Inbox · Mailhatch')
  expect(await notifications()).toEqual([])
  await setTabHidden(false)
  await expect.poll(() => page.title()).toBe('Inbox · Mailhatch')

  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await page.getByLabel('Notify me about new mail').click()
  await expect.poll(() => page.getByLabel('Notify me about new mail').isChecked()).toBe(true)
  await page.getByRole('link', { name: 'Inbox', exact: true }).click()
  await isLive(page)
  await mail('Tab is visible')
  await rowWith(page, 'Tab is visible').waitFor()
  await setTabHidden(true)
  await mail('<b>Tab</b> is \u202ehidden now')
  await expect.poll(notifications).toEqual(['The Shop: <b>Tab</b> is \u2423hidden now'])
  await page.evaluate("Notification.all[0].dispatchEvent(new Event('click'))")
  await page.getByRole('heading', { name: 'hidden now' }).waitFor()
  expect(complaints).toEqual([])
})

test('a message that one member opens is read for all, and counts follow', async () => {
  const { owner, join } = await people.newTeam()
  const colleague = await people.person()
  await join(colleague)
  const { name, domain } = await owner.call.inbox.mailboxes.create.mutate({ name: 'shared' })
  for (const subject of ['One', 'Two', 'Three']) await server.store({ mailbox: name, domain, subject })
  const [mine, theirs] = [await open({ headers: owner.headers }), await open({ headers: colleague.headers })]
  const isUnread = (page: Page, subject: string) => rowWith(page, subject).getByText('Unread:').count()
  for (const { page } of [mine, theirs]) {
    await page.goto('/')
    await isLive(page)
    await page.getByRole('link', { name: 'All mail 3 unread of 3' }).waitFor()
    await page.getByRole('link', { name: 'shared 3 unread of 3' }).waitFor()
    expect(await isUnread(page, 'One')).toBe(1)
  }
  await rowWith(mine.page, 'One').click()
  await mine.page.getByRole('heading', { name: 'One' }).waitFor()
  for (const { page } of [mine, theirs]) {
    await expect.poll(() => isUnread(page, 'One')).toBe(0)
    await page.getByRole('link', { name: 'All mail 2 unread of 3' }).waitFor()
    await page.getByRole('link', { name: 'shared 2 unread of 3' }).waitFor()
    await page.getByText('3 · 2 unread').waitFor()
    expect(await isUnread(page, 'Two')).toBe(1)
  }
  await theirs.page.reload()
  await rowWith(theirs.page, 'One').waitFor()
  expect([await isUnread(theirs.page, 'One'), await isUnread(theirs.page, 'Two')]).toEqual([0, 1])

  await theirs.page.getByRole('button', { name: 'More' }).click()
  await theirs.page.getByRole('menuitem', { name: 'Mark all as read' }).click()
  for (const { page } of [mine, theirs]) {
    await expect.poll(() => isUnread(page, 'Two')).toBe(0)
    await page.getByRole('link', { name: 'All mail 3', exact: true }).waitFor()
  }
  await mine.page.keyboard.press('U')
  await expect.poll(() => isUnread(theirs.page, 'One')).toBe(1)
  await theirs.page.getByRole('link', { name: 'All mail 1 unread of 3' }).waitFor()
  expect([...mine.complaints, ...theirs.complaints]).toEqual([])
})

test('the dialog that deletes everything says how much that is', async () => {
  const { owner } = await people.newTeam()
  const { name, domain } = await owner.call.inbox.mailboxes.create.mutate({ name: 'doomed' })
  for (const tag of ['a', 'b', 'b']) await server.store({ mailbox: name, domain, tag })
  const { page } = await open({ headers: owner.headers })
  const dialog = page.getByRole('alertdialog')
  const openDialog = async (item: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await page.goto('/?q=tag:b')
  await openDialog('Delete all results…')
  await dialog.getByText('This deletes 2 messages matching tag:b').waitFor()
  await page.keyboard.press('Escape')
  // A time span before now is one time while the dialog is open, so that it is counted once.
  await page.goto('/?q=after:2h')
  const counted: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('inbox.messages.count')) counted.push(request.url())
  })
  await openDialog('Delete all results…')
  await dialog.getByText('This deletes 3 messages matching after:2h').waitFor()
  await dialog.getByLabel('Type “delete” to confirm').pressSequentially('delet')
  await dialog.getByText('This deletes 3 messages matching after:2h').waitFor()
  expect(counted).toHaveLength(1)
  await page.keyboard.press('Escape')
  await page.goto('/')
  await openDialog('Delete all mail…')
  await dialog.getByText('This deletes 3 messages in all mailboxes').waitFor()
  await dialog.getByLabel('Type “delete” to confirm').fill('delete')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('3 messages deleted').first().waitFor()
  await page.getByRole('link', { name: 'All mail 0' }).waitFor()
})

test('a link to a deleted message says so, and a list that still shows it forgets it', async () => {
  const { owner } = await people.newTeam()
  const { name, domain } = await owner.call.inbox.mailboxes.create.mutate({ name: 'gone' })
  const { id } = await server.store({ mailbox: name, domain, subject: 'Deleted elsewhere' })
  await server.store({ mailbox: name, domain, subject: 'Kept' })
  const { page, complaints } = await open({ headers: owner.headers })
  await page.goto('/')
  await rowWith(page, 'Deleted elsewhere').waitFor()
  await owner.call.inbox.messages.remove.mutate({ id })
  await rowWith(page, 'Deleted elsewhere').click()
  await page.getByText('This message was deleted').waitFor()
  await rowWith(page, 'Deleted elsewhere').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Back to the inbox' }).click()
  await page.waitForURL(`${url}/`)
  // Of another team, and of no team: both never existed for this one.
  for (const other of [(await server.store({ domain: 'mailhatch.test' })).id, crypto.randomUUID()]) {
    await page.goto(`/m/${other}`)
    await page.getByText('This message does not exist').waitFor()
  }
  expect(complaints).toEqual([])
})

test('times are those of the server: a browser with a slow clock shows no mail from the future', async () => {
  const { owner } = await people.newTeam()
  const { name, domain } = await owner.call.inbox.mailboxes.create.mutate({ name: 'clock' })
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  await server.store({ mailbox: name, domain, subject: 'An hour old', receivedAt: minutesAgo(65) })
  const { page } = await openWindow(browser, { url, headers: owner.headers })
  await page.addInitScript(() => {
    const { now } = Date
    Date.now = () => now() - 10 * 60_000
  })
  await page.goto('/')
  await isLive(page)
  const timeOf = (subject: string) => rowWith(page, subject).locator('time').innerText()
  await server.store({ mailbox: name, domain, subject: 'Brand new' })
  await rowWith(page, 'Brand new').waitFor()
  // A sender in another process may be ahead of the API.
  await server.store({ mailbox: name, domain, subject: 'From the future', receivedAt: minutesAgo(-3) })
  await rowWith(page, 'From the future').waitFor()
  await expect.poll(() => timeOf('An hour old')).toBe('1 hr. ago')
  for (const subject of ['Brand new', 'From the future']) expect(await timeOf(subject)).toMatch(/^just now$| ago$/)
})

test('a held wait is listed under missing mail', async () => {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const waited = `${url}/v1/messages/latest?mailbox=qa&subject=Never&wait=60`
  const headers = { authorization: `Bearer ${server.apiKey}` }
  void fetch(waited, { headers, signal: leaving.signal }).catch(() => {})
  const { page } = await open()
  await page.goto('/')
  await page.getByRole('button', { name: 'Missing mail? 1 waiting' }).click()
  const dialog = page.getByRole('dialog', { name: 'Missing mail' })
  await dialog.getByText('subject: never').waitFor()
  await dialog.getByText(/waiting for \d+ of 60 s/).waitFor()
  await dialog.getByRole('tab', { name: 'Undelivered mail' }).click()
  await dialog.getByText('All mail was delivered').waitFor()
})

test('a mail is listed once under missing mail, however often it was tried', async () => {
  const send = (to: string) => {
    const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
    return transport.sendMail({ envelope: { from: 'app@shop.example', to: [to] }, text: 'Hello' })
  }
  await send('someone@unclaimed.example')
  for (let count = 0; count < 2; count++)
    await expect(send('+nobody@mailhatch.test')).rejects.toMatchObject({ responseCode: 550 })
  // All are recorded within a second, and the dialog reads them when it opens.
  const codes = async () => (await operator.call.inbox.rejections.list.query()).map(({ code }) => code).sort()
  await expect.poll(codes).toEqual(['550', '550', 'inbox_domain_unknown'])
  const { page } = await open()
  await page.goto('/')
  await page.getByRole('button', { name: 'Missing mail?' }).click()
  const dialog = page.getByRole('dialog', { name: 'Missing mail' })
  await dialog.getByRole('tab', { name: 'Rejected mail' }).click()
  const entries = dialog.getByRole('listitem')
  await entries.filter({ hasText: '+nobody@mailhatch.test' }).filter({ hasText: '2 times' }).waitFor()
  expect(await entries.filter({ hasText: '+nobody@mailhatch.test' }).count()).toBe(1)
  expect(await entries.filter({ hasText: 'unclaimed.example' }).count()).toBe(0)
  await dialog.getByRole('tab', { name: 'Undelivered mail' }).click()
  await dialog.getByText('All mail was delivered').waitFor()
  expect(await dialog.getByText('someone@unclaimed.example').count()).toBe(0)
  // Its one entry:
  await page.goto('/other')
  await rowWith(page, 'someone@unclaimed.example').waitFor()
  expect(await rowWith(page, 'someone@unclaimed.example').count()).toBe(1)
})

test('what was tried with an address is beside its message, and under missing mail', async () => {
  const sdk = new Mailhatch({ url, apiKey: server.apiKey })
  const to = 'qa+tried@mailhatch.test'
  await sdk.scenarios.create(to, [reject(451, { text: 'Not <b>now</b>' }), accept()])
  await expect(sendMail({ to, subject: 'Tried' })).rejects.toMatchObject({ responseCode: 451 })
  await sendMail({ to, subject: 'Tried' })
  await sendMail({ to: 'qa+other@mailhatch.test', subject: 'Other' })
  const { page, complaints } = await open()
  await page.goto('/?q=tag:tried')
  await rowWith(page, 'Tried').click()
  await page.getByRole('tab', { name: 'Headers' }).click()
  const attempts = page.getByRole('list', { name: 'Attempts, newest first' }).getByRole('listitem')
  await attempts.first().waitFor()
  expect(await attempts.allInnerTexts()).toEqual([
    expect.stringMatching(/^accepted\s+250 2\.0\.0 Stored/),
    expect.stringMatching(/^refused\s+451 .*Not <b>now<\/b>[^]*up to RCPT/),
  ])
  await page.goto('/')
  await page.getByRole('button', { name: 'Missing mail?' }).click()
  const dialog = page.getByRole('dialog', { name: 'Missing mail' })
  await dialog.getByRole('tab', { name: 'Attempts' }).click()
  await dialog.getByRole('listitem').filter({ hasText: 'refused' }).filter({ hasText: to }).waitFor()
  await dialog.getByRole('listitem').filter({ hasText: 'accepted' }).filter({ hasText: 'qa+other@' }).waitFor()
  expect(complaints).toEqual([])
})

test('a lost connection is shown and restored; no message appears twice', async () => {
  const { page } = await open()
  await page.goto('/?q=tag:lost')
  await isLive(page)
  await sendMail({ to: 'qa+lost@mailhatch.test', subject: 'Before' })
  await rowWith(page, 'Before').waitFor()
  await page.context().setOffline(true)
  await page.getByText('Offline').waitFor()
  await sendMail({ to: 'qa+lost@mailhatch.test', subject: 'Meanwhile' })
  await page.context().setOffline(false)
  await isLive(page)
  await rowWith(page, 'Meanwhile').waitFor()
  await sendMail({ to: 'qa+lost@mailhatch.test', subject: 'Afterwards' })
  await rowWith(page, 'Afterwards').waitFor()
  expect(await rowsOf(page).count()).toBe(3)
})
