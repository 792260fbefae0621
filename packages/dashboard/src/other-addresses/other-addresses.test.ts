import type { Page } from 'playwright-core'
import { createTransport } from 'nodemailer'
import { afterAll, expect, test } from 'vitest'
import { reuseWindows } from '../../../server/test/support/dashboard-session.ts'
import { barriersIn, buildDashboard, openChromium } from '../../../server/test/support/dashboard.ts'
import { startFileServer } from '../../../server/test/support/file-server.ts'
import { openPeople } from '../../../server/test/support/people.ts'

await buildDashboard()
const server = await startFileServer()
const people = await openPeople(server)
const operator = await people.operator()
const { caught, messages } = operator.call.inbox
const browser = await openChromium()
const openReused = reuseWindows(browser, server.url)
const open = (options = {}) => openReused({ headers: operator.headers, ...options })
const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
afterAll(() => transport.close())

type Mail = { to: string; subject: string; html?: string; attachments?: { filename: string; content: string }[] }

async function send(mail: Mail): Promise<void> {
  await transport.sendMail({ from: '"The Shop" <app@shop.example>', text: 'Your code is 482913.', ...mail })
}

const entryOf = (page: Page) =>
  page.getByRole('navigation', { name: 'Mailboxes and tags' }).getByRole('link', { name: 'Other addresses' })
const rowOf = (page: Page, subject: string) => page.locator('[data-message]').filter({ hasText: subject })

test('an inbox without mail says that mail arrived for another domain, and the count in the sidebar is live', async () => {
  const { page, complaints } = await open()
  await page.goto('/')
  await entryOf(page).waitFor()
  expect(await entryOf(page).innerText()).toBe('Other addresses')
  await send({ to: 'anna@first.example', subject: 'Welcome, Anna' })
  const acceptedAt = performance.now()
  await page.getByRole('status').getByText('1 message arrived for first.example').waitFor()
  console.log(`a mail for another domain is shown ${Math.round(performance.now() - acceptedAt)} ms after its 250`)
  await expect.poll(() => entryOf(page).innerText()).toMatch(/Other addresses\s+1$/)
  await send({ to: 'anna@first.example', subject: 'Again' })
  await expect.poll(() => entryOf(page).innerText()).toMatch(/Other addresses\s+2$/)
  await page.getByRole('link', { name: 'Read them under Other addresses' }).click()
  await rowOf(page, 'Welcome, Anna').waitFor()
  expect(await entryOf(page).getAttribute('aria-current')).toBe('true')
  // The page of an address, which the error of a timeout links to, says where its mail is.
  await page.goto('/a/anna%40first.example')
  await page.getByText('No team has the domain first.example').getByRole('link', { name: 'Other addresses' }).click()
  await rowOf(page, 'Welcome, Anna').waitFor()
  expect(complaints).toEqual([])
})

test('such mail is read in the same pane, in the same isolated frame, and its list is live', async () => {
  const { page, complaints } = await open()
  await page.goto('/other')
  await send({
    to: 'bob+signup@read.example',
    subject: 'Your account',
    html: '<p>Your code is <b id="code">482913</b></p><script>document.body.id = "ran"</script>',
    attachments: [{ filename: 'terms.txt', content: 'Be nice.' }],
  })
  // The first words and the code, as in the inbox.
  await rowOf(page, 'Your account').getByText('Your code is 482913').waitFor()
  const entry = page.getByRole('listitem').filter({ hasText: 'Your account' })
  await entry.getByRole('button', { name: 'Copy code 482913' }).waitFor()
  await rowOf(page, 'Your account').click()
  await page.getByRole('button', { name: /^Code 482913/ }).waitFor()
  const frame = page.locator('iframe[title="HTML content of the message"]')
  const sandbox = await frame.getAttribute('sandbox')
  expect(sandbox).toBe('allow-popups allow-popups-to-escape-sandbox')
  const mail = page.frameLocator('iframe[title="HTML content of the message"]')
  expect(await mail.locator('#code').innerText()).toBe('482913')
  expect(await mail.locator('#ran').count()).toBe(0)
  // What needs a message of the team is not offered.
  for (const name of ['Test code', 'Delete']) expect(await page.getByRole('button', { name }).count()).toBe(0)
  await page.getByRole('tab', { name: 'Raw' }).click()
  await page.getByText('Subject: Your account').waitFor()
  await page.getByRole('tab', { name: 'Attachments 1' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download terms.txt' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('terms.txt')
  await page.getByRole('button', { name: 'Preview terms.txt' }).click()
  await page.frameLocator('iframe[title="Preview of terms.txt"]').getByText('Be nice.').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  await page.keyboard.press('u')
  await page.waitForURL(/\/other$/)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/other\/[\w-]+$/)
  expect(complaints).toEqual([])
})

test('one button catches the domain and opens the mail in the inbox, and the list of caught domains undoes it', async () => {
  await send({ to: 'carol@caught.example', subject: 'Before' })
  const { page, complaints } = await open()
  await page.goto('/other')
  await rowOf(page, 'Before').waitFor()
  // Only messages of a team can be unread.
  expect(await rowOf(page, 'Before').getByText('Unread:').count()).toBe(0)
  await rowOf(page, 'Before').click()
  await page.getByRole('button', { name: 'Catch caught.example from now on' }).click()
  await page.waitForURL(/\/m\/[\w-]+$/)
  await page.getByRole('heading', { name: 'Before' }).waitFor()
  await page.getByRole('button', { name: 'Test code' }).waitFor()
  await rowOf(page, 'Before').getByText('Your code is 482913.').waitFor()
  await send({ to: 'carol@caught.example', subject: 'After' })
  await rowOf(page, 'After').waitFor()

  await entryOf(page).click()
  await rowOf(page, 'Before').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Caught domains 1' }).click()
  const dialog = page.getByRole('dialog', { name: 'Caught domains' })
  await dialog.getByRole('button', { name: 'Stop catching caught.example' }).click()
  await dialog.getByText('No domain is caught').waitFor()
  await page.keyboard.press('Escape')
  expect((await caught.list.query()).domains).toEqual([])
  await send({ to: 'carol@caught.example', subject: 'Later' })
  await rowOf(page, 'Later').waitFor()
  expect((await messages.list.query({ mailbox: 'carol' })).messages.map(({ subject }) => subject)).toEqual([
    'After',
    'Before',
  ])
  expect(complaints).toEqual([])
})

test('a domain is caught from the list without opening a mail', async () => {
  await send({ to: 'dan@listed.example', subject: 'Listed' })
  const { page } = await open()
  await page.goto('/other')
  await rowOf(page, 'Listed').waitFor()
  const showAll = page.getByRole('button', { name: /^Show all/ })
  if (await showAll.isVisible()) await showAll.click()
  await page.getByRole('button', { name: 'Catch domain listed.example' }).click()
  await page.getByText('Mail to listed.example now arrives in your inbox. 1 message moved there.').first().waitFor()
  await rowOf(page, 'Listed').waitFor({ state: 'detached' })
  expect((await messages.list.query({ mailbox: 'dan' })).messages).toHaveLength(1)
})

test('users who do not operate the server see neither the entry nor the page', async () => {
  const { owner } = await people.newTeam()
  const { page } = await open({ headers: owner.headers })
  await page.goto('/other')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.goto('/')
  await page.getByRole('link', { name: 'All mail' }).waitFor()
  expect(await entryOf(page).count()).toBe(0)
})

test('no accessibility violations in the list of caught domains', async () => {
  await caught.add.mutate({ domain: 'shown.example' })
  const { page } = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.goto('/other')
  await page.getByRole('button', { name: /^Caught domains/ }).click()
  await page.getByRole('button', { name: 'Stop catching shown.example' }).waitFor()
  expect(await barriersIn(page)).toEqual([])
})
