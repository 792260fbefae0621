import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Page } from '@playwright/test'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findChromium } from '../../server/test/support/chromium.ts'
import { mailPage } from '../src/mail-page.ts'

const hostile = (url: string) => `
  <html><head><style>p { color: rgb(1, 2, 3) }</style><script>document.title = 'ran'</script></head>
  <body onload="document.title = 'ran'">
    <p>Hello</p><img src="${url}/pixel.png" onerror="document.title = 'ran'">
    <a href="about:blank#followed">Confirm</a>
  </body></html>`

let browser: Awaited<ReturnType<typeof chromium.launch>>
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: await findChromium() })
})
afterAll(() => browser.close())

async function show(html: string): Promise<Page> {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.setContent(html)
  return page
}

/** A tracking server that records requests. */
async function startSender() {
  const requested: string[] = []
  const server = createServer((request, response) => {
    requested.push(request.url!)
    response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return { requested, url: `http://127.0.0.1:${port}` }
}

test('a mail runs no scripts and loads nothing; its style and links work', async () => {
  const { requested, url } = await startSender()
  const page = await show(mailPage({ html: hostile(url), text: '' }))
  expect(await page.title()).toBe('')
  expect(requested).toEqual([])
  expect(await page.locator('p').evaluate((element) => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)')
  await page.getByRole('link', { name: 'Confirm' }).click()
  await page.waitForURL(/#followed$/)
})

test('control: without the policy, the same mail runs scripts and loads images', async () => {
  const { requested, url } = await startSender()
  const page = await show(hostile(url))
  expect(await page.title()).toBe('ran')
  expect(requested).toEqual(['/pixel.png'])
})

test('a mail without HTML is shown as escaped text', async () => {
  const page = await show(mailPage({ html: '', text: '<b>1 & 2\n3' }))
  expect(await page.locator('pre').textContent()).toBe('<b>1 & 2\n3')
})
