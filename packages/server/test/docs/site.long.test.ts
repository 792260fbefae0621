import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findChromium } from '../support/chromium.ts'
import { REPOSITORY } from '../support/markdown.ts'

const run = promisify(execFile)
const SITE = join(REPOSITORY, 'site/dist/html')
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

let printed: string
let url: string
let browser: Browser
const server = createServer(({ url: path = '/' }, response) => {
  const file = join(SITE, path.endsWith('/') ? `${path}index.html` : path)
  if (!existsSync(file) || !statSync(file).isFile()) return void response.writeHead(404).end()
  response
    .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
    .end(readFileSync(file))
})

beforeAll(async () => {
  printed = (await run('npm', ['run', 'docs:site'], { cwd: REPOSITORY })).stdout
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
}, 600_000)

afterAll(async () => {
  await browser.close()
  server.close()
  server.closeAllConnections()
})

test('every page is built, and no link is broken', () => {
  expect(printed).toMatch(
    /Built \d\d pages in site\/dist\/html, and checked \d{4,} links\.\nView them: npm --prefix site run preview\n$/,
  )
})

test('search finds a page without any request to another host', async () => {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  const requested: string[] = []
  const problems: string[] = []
  page.on('request', (request) => void requested.push(request.url()))
  page.on('pageerror', (error) => void problems.push(error.message))
  await page.goto(url)
  await page
    .getByRole('button', { name: /search/i })
    .first()
    .click()
  await page.getByRole('searchbox').fill('one container')
  await page
    .getByRole('option', { name: /One container/ })
    .first()
    .click()
  await page.waitForURL(/\/operate\/docker\.html/)
  await page.getByRole('heading', { level: 1, name: 'One container' }).waitFor()
  expect(requested.length).toBeGreaterThan(5)
  expect(requested.filter((address) => !address.startsWith(url) && !address.startsWith('data:'))).toEqual([])
  expect(problems).toEqual([])
})
