import type { Page } from 'playwright-core'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { openWindow, reuseWindows } from '../../../server/test/support/dashboard-session.ts'
import { barriersIn, buildDashboard, openChromium } from '../../../server/test/support/dashboard.ts'
import { startFileServer } from '../../../server/test/support/file-server.ts'
import { openPeople } from '../../../server/test/support/people.ts'

await buildDashboard()
const server = await startFileServer()
const people = await openPeople(server)
const operator = await people.operator()
const browser = await openChromium()
const { url } = server
const open = reuseWindows(browser, url)
const LOOK = { reducedMotion: 'reduce', viewport: { width: 320, height: 640 } } as const

async function openMail(page: Page, mailbox: string): Promise<void> {
  await page.goto(`/?q=mailbox:${mailbox}`)
  await page.locator('[data-message]').first().click()
  await page.frameLocator('iframe').getByRole('heading', { name: 'Picture' }).waitFor()
}

test('remote images load in the mailbox they are allowed for, until they are blocked again', async () => {
  const picture = 'https://tracker.example/pixel.png'
  for (const mailbox of ['allowed', 'other']) {
    await server.store({ mailbox, domain: 'mailhatch.test', rawContent: `<h1>Picture</h1><img src="${picture}">` })
  }
  const { page, complaints } = await open({ headers: operator.headers, ...LOOK })
  const requested: string[] = []
  await page.context().route('https://tracker.example/**', (route) => {
    requested.push(route.request().url())
    return route.abort()
  })
  await openMail(page, 'allowed')
  expect(requested).toEqual([])
  expect(await barriersIn(page)).toEqual([])
  await page.getByRole('button', { name: 'Always show in allowed' }).click()
  await expect.poll(() => requested).toEqual([picture])
  expect(await barriersIn(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)

  await openMail(page, 'allowed')
  await expect.poll(() => requested).toEqual([picture, picture])
  await openMail(page, 'other')
  await page.getByText('Remote images are blocked').waitFor()
  expect(requested).toHaveLength(2)

  await openMail(page, 'allowed')
  await expect.poll(() => requested).toHaveLength(3)
  await page.getByRole('button', { name: 'Block images' }).click()
  await page.getByText('Remote images are blocked').waitFor()
  await openMail(page, 'allowed')
  await page.getByText('Remote images are blocked').waitFor()
  expect(requested).toHaveLength(3)
  // The failed requests for images are expected.
  expect(complaints.filter((text) => !text.includes('tracker.example'))).toEqual([])
})

test('the head of a message shows all recipients, Reply-To and Date; a long list is folded', async () => {
  const many = Array.from({ length: 12 }, (_, index) => `Person ${index} <person-${index}@shop.example>`)
  const headers = [
    { name: 'To', value: 'Quality <qa+head@mailhatch.test>, "Lee, Ann" <ann@shop.example>' },
    { name: 'Cc', value: many.join(', ') },
    { name: 'Reply-To', value: 'help\u202e@shop.example' },
    { name: 'Date', value: 'Sun, 15 Nov 2026 13:42:56 +0100' },
  ]
  const { id } = await server.store({ domain: 'mailhatch.test', mailbox: 'qa', tag: 'head', headers })
  const { page, complaints } = await openWindow(browser, { url, headers: operator.headers, ...LOOK, timezoneId: 'UTC' })
  await page.goto(`/m/${id}`)
  const list = page.getByRole('region', { name: 'Message', exact: true }).locator('dl').first()
  // A badge starts a line of its own in the text.
  const textOf = async (name: string) =>
    (await list.locator(`dt:text-is("${name}") + dd`).innerText()).replace(/\s+/g, ' ').replaceAll(' ,', ',')
  await list.getByText('Reply to').waitFor()
  expect(await textOf('To')).toBe('Quality <qa+head@mailhatch.test> +head, Lee, Ann <ann@shop.example>')
  expect(await textOf('Reply to')).toBe('help\u2423@shop.example')
  expect(await textOf('Date')).toBe('15 Nov 2026, 12:42:56 UTC')
  expect(await textOf('Cc')).toContain('and 9 more')
  expect(await barriersIn(page)).toEqual([])
  await page.getByRole('button', { name: 'and 9 more' }).click()
  expect(await textOf('Cc')).toContain('person-11@shop.example')
  expect(await barriersIn(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  await page.getByRole('button', { name: 'Show fewer' }).click()
  expect(await textOf('Cc')).not.toContain('person-11@shop.example')
  expect(complaints).toEqual([])
})

test('the headers tab shows the SMTP session', async () => {
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort, name: 'mailer.shop.example' })
  await transport.sendMail({
    envelope: { from: 'bounces@shop.example', to: ['qa+session@mailhatch.test'] },
    from: 'The Shop <app@shop.example>',
    to: 'someone@elsewhere.example',
    text: 'Hello',
  })
  transport.close()
  const { page } = await open({ headers: operator.headers, ...LOOK })
  await page.goto('/?q=tag:session')
  await page.locator('[data-message]').first().click()
  await page.getByRole('tab', { name: 'Headers' }).click()
  const session = page.getByRole('region', { name: 'SMTP session' })
  await session.waitFor()
  const texts = await session.locator('dt, dd').allInnerTexts()
  const facts = Object.fromEntries(texts.flatMap((text, index) => (index % 2 === 0 ? [[text, texts[index + 1]]] : [])))
  expect(facts).toEqual({
    'Received via': 'SMTP',
    'Envelope sender': 'bounces@shop.example',
    Recipient: 'qa+session@mailhatch.test',
    'Client name (HELO)': 'mailer.shop.example',
    'Client address': expect.stringContaining('127.0.0.1'),
    Encryption: 'none',
  })
  expect(await barriersIn(page)).toEqual([])
})

test('the client name is shown safely, and a missing session is reported', async () => {
  const envelope = { mailFrom: '', rcptTo: 'qa@mailhatch.test', remoteAddress: null, tls: false, receivedVia: 'relay' }
  const claimed = await server.store({ domain: 'mailhatch.test', envelope: { ...envelope, helo: 'a\u202eb<b>' } })
  const unknown = await server.store({ domain: 'mailhatch.test' })
  const { page } = await open({ headers: operator.headers })
  await page.goto(`/m/${claimed.id}?tab=headers`)
  const session = page.getByRole('region', { name: 'SMTP session' })
  await session.waitFor()
  const claims = ['relay', 'none (as in bounces)', 'qa@mailhatch.test', 'a\u2423b<b>']
  expect(await session.locator('dd').allInnerTexts()).toEqual(claims)
  await page.goto(`/m/${unknown.id}?tab=headers`)
  await page.getByText('No SMTP session was recorded for this message.').waitFor()
})

test('the source is coloured, and its lines are wrapped or not, as chosen before', async () => {
  const long = `<a href="https://shop.example/${'x'.repeat(3_000)}">go</a>`
  const rawContent = `<!-- note --><style>p > a { color: red }</style><p class="big">${long}</p><script>alert(1)</script>`
  const { id } = await server.store({ domain: 'mailhatch.test', rawContent })
  const { page, complaints } = await open({ headers: operator.headers, ...LOOK })
  await page.goto(`/m/${id}?tab=source`)
  const code = page.getByRole('figure').locator('pre')
  await code.waitFor()
  expect(await code.textContent()).toBe(rawContent)
  const colours = await Promise.all(
    ['<!-- note -->', 'class', '"big"', '</style><p'].map((text) =>
      code
        .getByText(text, { exact: true })
        .first()
        .evaluate((element) => getComputedStyle(element).color),
    ),
  )
  expect(new Set(colours).size).toBe(4)
  const isWide = () => code.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  expect(await isWide()).toBe(false)
  await page.getByRole('button', { name: 'Wrap lines', pressed: true }).click()
  await expect.poll(isWide).toBe(true)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  expect(await barriersIn(page)).toEqual([])
  await page.goto(`/m/${id}?tab=json`)
  await page.getByRole('button', { name: 'Wrap lines', pressed: false }).waitFor()
  expect(complaints).toEqual([])
})

test('a very long subject takes three lines until it is opened', async () => {
  const { id } = await server.store({ domain: 'mailhatch.test', subject: 'A very long subject '.repeat(400) })
  const { page } = await open({ headers: operator.headers, ...LOOK })
  await page.goto(`/m/${id}`)
  const heading = page.getByRole('heading', { level: 2, name: /^A very long subject/ })
  await heading.waitFor()
  const height = async () => (await heading.boundingBox())!.height
  expect(await height()).toBeLessThanOrEqual(72)
  await page.getByRole('button', { name: 'Show the whole subject' }).click()
  await expect.poll(height).toBeGreaterThan(72)
  expect(await height()).toBeLessThan(LOOK.viewport.height / 2)
  expect(await barriersIn(page)).toEqual([])
})

test('an invitation is a card of plain text; images are shown in a sandbox; a PDF is only downloaded', async () => {
  const invitation = [
    'BEGIN:VCALENDAR',
    'METHOD:REQUEST',
    'BEGIN:VEVENT',
    'SUMMARY:Launch <img src=x onerror=alert(1)> https://evil.example/',
    'DTSTART;TZID=Europe/Berlin:20261116T100000',
    'DTEND;TZID=Europe/Berlin:20261116T113000',
    'LOCATION:Room 1\\, Berlin',
    'ORGANIZER;CN=Ada:mailto:ada@shop.example',
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n')
  const attachments = [
    { filename: 'dot.png', content: PNG, contentType: 'image/png' },
    { filename: 'drawing.svg', content: '<svg xmlns="http://www.w3.org/2000/svg"/>', contentType: 'image/svg+xml' },
    { filename: 'bill.pdf', content: '%PDF-1.4', contentType: 'application/pdf' },
  ]
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
  await transport.sendMail({
    from: 'app@shop.example',
    to: 'qa+invitation@mailhatch.test',
    subject: 'Invitation',
    text: 'Please come',
    icalEvent: { method: 'REQUEST', content: invitation },
    attachments,
  })
  transport.close()
  const { page, complaints } = await open({ headers: operator.headers, ...LOOK })
  await page.goto('/?q=tag:invitation')
  await page.locator('[data-message]').first().click()
  const card = page.getByRole('region', { name: 'Calendar event' })
  await card.getByText('Launch <img src=x onerror=alert(1)> https://evil.example/').waitFor()
  for (const text of [
    'Invitation',
    'Monday 16 November 2026, 10:00 to 11:30 (Europe/Berlin)',
    'Room 1, Berlin',
    'Ada <ada@shop.example>',
  ]) {
    await card.getByText(text, { exact: true }).waitFor()
  }
  expect(await card.locator('a, img, button').count()).toBe(0)

  await page.getByRole('tab', { name: /^Attachments/ }).click()
  const image = page.frameLocator('iframe[title="Preview of dot.png"]').locator('img')
  await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1)
  expect(await page.locator('iframe').getAttribute('sandbox')).not.toMatch(/scripts|same-origin/)
  const pdf = page.getByRole('listitem').filter({ hasText: 'bill.pdf' })
  await pdf.getByText('No preview: browsers show a PDF only with scripts').waitFor()
  expect(await pdf.getByRole('button').count()).toBe(0)
  expect(await barriersIn(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  expect(complaints).toEqual([])
})

/** One transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

test('only the message is printed, dark on white, with all pages of a long text', async () => {
  const plainContent = Array.from({ length: 200 }, (_, index) => `Line ${index}`).join('\n')
  const rawContent = `<h1>Picture</h1>${plainContent.replaceAll('\n', '<br>')}`
  const { id } = await server.store({ domain: 'mailhatch.test', subject: 'To be printed', plainContent, rawContent })
  const { page } = await open({ headers: operator.headers, colorScheme: 'dark' })
  await page.goto(`/m/${id}?tab=text`)
  await page.getByText('Line 199').waitFor()
  await page.evaluate(() => {
    Object.assign(window, { print: () => Object.assign(window, { isPrinted: true }) })
  })
  await page.getByRole('button', { name: 'Print' }).click()
  expect(await page.evaluate('isPrinted')).toBe(true)

  await page.emulateMedia({ media: 'print' })
  await page.getByRole('heading', { name: 'To be printed' }).waitFor()
  for (const hidden of [
    page.getByRole('banner'),
    page.getByRole('region', { name: 'Message list' }),
    page.getByRole('navigation', { name: 'Mailboxes and tags' }),
    page.getByRole('tablist'),
    page.getByRole('button', { name: 'Test code' }),
  ]) {
    expect(await hidden.count()).toBe(0)
  }
  expect(await page.getByText('Line 199').evaluate((element) => getComputedStyle(element).color)).toBe(
    'rgb(22, 33, 30)',
  )
  const countPages = async () => (await page.pdf()).toString('latin1').match(/\/Type\s*\/Page\b/g)!.length
  expect(await countPages()).toBeGreaterThanOrEqual(3)

  await page.goto(`/m/${id}?tab=html`)
  await page.frameLocator('iframe').getByRole('heading', { name: 'Picture' }).waitFor()
  expect(await countPages()).toBeGreaterThanOrEqual(4)
})

test('the empty inbox has settings for frameworks, with the SMTP port of the server', async () => {
  const { owner } = await people.newTeam()
  const { page, complaints } = await open({ headers: owner.headers, ...LOOK })
  await page.goto('/')
  for (const [name, line] of [
    ['Nodemailer', `SMTP_PORT ?? ${server.smtpPort}`],
    ['Django', `"SMTP_PORT", "${server.smtpPort}"`],
    ['Rails', `port: ${server.smtpPort}`],
    ['Laravel', `MAIL_PORT=${server.smtpPort}`],
    ['Spring Boot', `spring.mail.port=\${SMTP_PORT:${server.smtpPort}}`],
  ] as const) {
    await page.getByRole('tab', { name }).click()
    await page.getByRole('button', { name: `Copy: ${name}` }).click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(copied).toContain(line)
    expect(await copied()).toContain('localhost')
    expect(await barriersIn(page)).toEqual([])
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  expect(complaints).toEqual([])
})
