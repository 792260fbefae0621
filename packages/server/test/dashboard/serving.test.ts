import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { ApiEnvironment } from '../../src/http/environment.ts'
import { addDashboard } from '../../src/http/dashboard.ts'
import { buildDashboard, DASHBOARD_FOLDER } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { temporaryFolder } from '../support/server.ts'

const FIRST_LOAD_BYTES_MAX = 170_000
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

await buildDashboard()
const { url } = await startFileServer()
const sub = await startFileServer({ APP_URL: 'http://tools.example/test/mail' })

async function getPage(path: string, { from = url, headers = HTML }: { from?: string; headers?: object } = {}) {
  const response = await fetch(from + path, { headers: { ...headers } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function assetsOf(page: string): string[] {
  return Array.from(page.matchAll(/(?:src|href)="([^"]*\/assets\/[^"]*)"/g), ([, path]) => path!)
}

describe('pages', () => {
  test.each([
    '/',
    '/m/01a1de8f-e5cf-7ccc-815e-d07e2755b856',
    '/a/qa%40mailhatch.test',
    '/sign-in',
    '/settings/keys',
    '/no/such',
  ])('%s is the dashboard for a browser', async (path) => {
    const { status, headers, text } = await getPage(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).toContain('<div id="root">')
  })

  test('/ is the dashboard for any accepted type', async () => {
    expect((await getPage('/', { headers: {} })).status).toBe(200)
  })

  test.each([
    '/v1/nope',
    '/trpc-not/../v1/x',
    '/auth/nope',
    '/app/nope',
    '/webhooks/nope',
    '/mcp/nope',
    '/view/nope',
    '/billing/nope',
    '/assets/nope.js',
  ])('%s is not the dashboard', async (path) => {
    const { headers } = await getPage(path)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  })

  test('a program that requests a missing page gets an error', async () => {
    const { status, text } = await getPage('/settings/keys', { headers: { accept: 'application/json' } })
    expect(status).toBe(404)
    expect(JSON.parse(text)).toMatchObject({ code: 'not_found' })
  })

  test('only the page’s own scripts run, and no page may frame it', async () => {
    const { headers, text } = await getPage('/')
    const policy = headers.get('content-security-policy')!.split('; ')
    const nonce = /'nonce-([^']+)'/.exec(policy.join())![1]!
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src 'self' 'nonce-${nonce}'`,
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
      ]),
    )
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/)
    const scripts = text.match(/<script[^>]*>/g)!
    expect(scripts.length).toBeGreaterThan(1)
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`)
    expect(text).not.toMatch(/MAILHATCH_|\son\w+="/)
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('every response has its own nonce', async () => {
    const nonces = await Promise.all([getPage('/'), getPage('/')])
    expect(nonces[0].headers.get('content-security-policy')).not.toBe(nonces[1].headers.get('content-security-policy'))
  })
})

describe('assets', () => {
  test('they are cached permanently, with types that browsers do not sniff', async () => {
    const assets = assetsOf((await getPage('/')).text)
    expect(assets.length).toBeGreaterThan(1)
    for (const path of assets) {
      const { status, headers, text } = await getPage(path)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-encoding')).toBe('gzip')
      expect(text).toBe(readFileSync(join(DASHBOARD_FOLDER, path), 'utf8'))
    }
  })

  test('clients without gzip get them uncompressed', async () => {
    const [path] = assetsOf((await getPage('/')).text)
    const { headers, text } = await getPage(path!, { headers: { 'accept-encoding': 'identity' } })
    expect(headers.get('content-encoding')).toBeNull()
    expect(text).toBe(readFileSync(join(DASHBOARD_FOLDER, path!), 'utf8'))
  })

  test.each([
    '/assets/',
    '/assets/..%2Findex.html',
    '/assets/%2e%2e/index.html',
    '/assets/.hidden.js',
    '/assets/x.js.gz',
  ])('%s does not exist', async (path) => {
    expect((await getPage(path, { headers: {} })).status).toBe(404)
  })

  test('the first load is small', async () => {
    const { text } = await getPage('/')
    const bytes = assetsOf(text).map((path) => statSync(join(DASHBOARD_FOLDER, `${path}.gz`)).size)
    const total = Buffer.byteLength(text) + bytes.reduce((sum, size) => sum + size, 0)
    console.log(`first load: ${(total / 1000).toFixed(0)} kB`)
    expect(total).toBeGreaterThan(50_000)
    expect(total).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX)
    // Nothing that every page needs loads later: lazy chunks are pages or parts of one.
    const script = readdirSync(join(DASHBOARD_FOLDER, 'assets')).filter((name) => /^inbox-page.*\.js$/.test(name))
    expect(script).toEqual([])
  })
})

describe('under a path', () => {
  test('the page and its assets have URLs under it', async () => {
    const { text } = await getPage('/settings', { from: sub.url })
    const assets = assetsOf(text)
    expect(assets.length).toBeGreaterThan(1)
    for (const path of assets) expect(path).toMatch(/^\/test\/mail\/assets\//)
    expect(text).toContain('<meta name="base-path" content="/test/mail"')
  })

  test.each(['', '/test/mail'])('with a proxy that keeps or strips the path: %j', async (prefix) => {
    const page = await getPage(`${prefix}/settings/keys`, { from: sub.url })
    expect(page.text).toContain('<div id="root">')
    const [asset] = assetsOf(page.text)
    expect((await getPage(asset!.replace('/test/mail', prefix), { from: sub.url })).status).toBe(200)
    expect((await getPage(`${prefix}/health`, { from: sub.url })).text).toBe('{"status":"ok"}')
    const key = { authorization: `Bearer ${sub.apiKey}` }
    expect((await getPage(`${prefix}/v1/me`, { from: sub.url, headers: key })).status).toBe(200)
    expect((await getPage(`${prefix}/trpc/user.me`, { from: sub.url, headers: {} })).status).toBe(401)
    expect((await getPage(`${prefix}/auth/methods`, { from: sub.url, headers: {} })).status).toBe(200)
  })
})

test('without a build, the page says so and reloads', async () => {
  const app = new Hono<ApiEnvironment>()
  addDashboard(app, { appUrl: 'http://localhost:3003', dashboardFolder: temporaryFolder() })
  const response = await app.request('/')
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('being built')
})
