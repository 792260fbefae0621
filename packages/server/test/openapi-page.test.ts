import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createApi } from '../src/http/app.ts'
import type { ApiPorts } from '../src/http/ports.ts'
import { renderReference } from '../src/http/reference/page.ts'
import { apiDocument, describedOperations } from './support/documented.ts'
import { startFileServer } from './support/file-server.ts'
import { make } from './support/walk.ts'

const server = await startFileServer()
const { headers, body } = await make(server.url, { method: 'GET', path: '/docs' }, null)
const page = String(body)

describe('contract: GET /docs is a reference page, served by Mailhatch', () => {
  test('it needs no script and no external resource', () => {
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page).not.toMatch(/<script|\son\w+=|\sstyle=|@import|url\(/i)
    const sources = Array.from(page.matchAll(/(?:src|href)="([^"]*)"/g), ([, target]) => target!)
    expect(sources.length).toBeGreaterThan(30)
    expect(sources.filter((target) => !/^#|^data:image\/svg/.test(target))).toEqual([`${server.url}/openapi.json`])
  })

  test('its policy allows only its own style sheet', () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)![1]!
    const policy = headers.get('content-security-policy')!.split('; ')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`style-src 'sha256-${hash('sha256', style, 'base64')}'`)
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/)
  })

  test.each(describedOperations)('it documents $method $path', ({ method, path, operation }) => {
    const start = page.indexOf(`<section class="operation" id="${operation.operationId}">`)
    expect(start).toBeGreaterThan(0)
    const section = page.slice(start, page.indexOf('</section>', start))
    expect(section).toContain(path)
    expect(section).toContain(method.toUpperCase())
    expect(section).toContain(`curl`)
    expect(section).toContain(server.url)
    for (const { name } of operation.parameters) expect(section).toContain(`<code>${name}</code>`)
    const codes = Object.values(operation.responses).flatMap((response) =>
      'content' in response ? Object.keys(response.content['application/json']?.examples ?? {}) : [],
    )
    for (const code of codes) expect(section).toContain(`<code>${code}</code>`)
  })

  test('every link in it leads to an anchor in it', () => {
    const ids = Array.from(page.matchAll(/\sid="([^"]*)"/g), ([, id]) => id!)
    expect(new Set(ids).size).toBe(ids.length)
    const links = Array.from(page.matchAll(/href="#([^"]*)"/g), ([, id]) => id!)
    expect(links.filter((id) => !ids.includes(id))).toEqual([])
  })

  test('everything in the document is shown as text', async () => {
    const evil = '<img src=x onerror="alert(1)">'
    const document = JSON.parse(
      JSON.stringify(apiDocument, (name, value: unknown) =>
        typeof value === 'string' && !['$ref', 'type', 'operationId', 'pattern'].includes(name) && value.length > 12
          ? `${value} ${evil}`
          : value,
      ),
    ) as typeof apiDocument
    const rendered = await renderReference(document, `http://localhost/${evil}`)
    expect(rendered).toContain('&lt;img src=x')
    expect(rendered).not.toContain('<img')
  })
})

describe('the address in the document and on the page', () => {
  test.each([
    { appUrl: 'https://mail.example/', server: 'https://mail.example', shown: 'https://mail.example' },
    { appUrl: 'https://example.com/mail', server: 'https://example.com/mail', shown: 'https://example.com/mail' },
    { appUrl: 'http://localhost:3003', server: '/', shown: 'http://10.0.0.7:3003' },
    { appUrl: null, server: '/', shown: 'http://10.0.0.7:3003' },
  ])('APP_URL $appUrl', async ({ appUrl, server, shown }) => {
    // Only what is asked for here is used of the ports.
    const site = { allowedOrigins: [], appUrl }
    const app = createApi({
      keys: {},
      webhooks: {},
      teams: {},
      accounts: {},
      inbound: { webhookSecret: null },
      site,
      observe: {},
    } as unknown as ApiPorts)
    const document = await (await app.request('http://10.0.0.7:3003/openapi.json')).json()
    expect(document).toMatchObject({ servers: [{ url: server }] })
    const page = await (await app.request('http://10.0.0.7:3003/docs')).text()
    expect(page).toContain(`curl &quot;${shown}/v1/me&quot;`)
  })
})
