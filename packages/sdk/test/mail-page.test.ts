import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Page } from '@playwright/test'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findChromium } from '../../server/test/support/chromium.ts'
import { mailPage } from '../src/mail-page.ts'

/** Where Chromium must be installed first. */
const START_MS_MAX = 300_000
const hostile = (url: string) => `
  <html><head><style>p { color: rgb(1, 2, 3) }</style><script>document.title = 'ran'</script></head>
  <body onload="document.title = 'ran'">
    <p>Hello</p><img src="${url}/pixel.png" onerror="document.title = 'ran'">
    <a href="about:blank#followed">Confirm</a>
  </body></html>`

let browser: Awaited<ReturnType<typeof chromium.launch>>
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: await findChromium() })
}, START_MS_MAX)
afterAll(() => browser.close())

async function show(html: string): Promise<Page> {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.setContent(html)
  return page
}

/** A machine of the sender, which would like to know who reads the mail. */
async function startSender() {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  // Listening on a port, not on a pipe.
  const { port } = server.address() as AddressInfo
  return { asked, url: `http://127.0.0.1:${port}` }
}

test('nothing of a mail runs or is fetched; it keeps its style, and links can be followed', async () => {
  const { asked, url } = await startSender()
  const page = await show(mailPage({ html: hostile(url), text: '' }))
  expect(await page.title()).toBe('')
  expect(asked).toEqual([])
  expect(await page.locator('p').evaluate((element) => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)')
  await page.getByRole('link', { name: 'Confirm' }).click()
  await page.waitForURL(/#followed$/)
})

test('without our page around it, it would run and fetch', async () => {
  const { asked, url } = await startSender()
  const page = await show(hostile(url))
  expect(await page.title()).toBe('ran')
  expect(asked).toEqual(['/pixel.png'])
})

test('a mail without HTML is shown as text, markup and all', async () => {
  const page = await show(mailPage({ html: '', text: '<b>1 & 2\n3' }))
  expect(await page.locator('pre').textContent()).toBe('<b>1 & 2\n3')
})
