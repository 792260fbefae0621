import { describe, expect, test } from 'vitest'
import { ask } from './support/ask.ts'
import { startFileServer } from './support/file-server.ts'
import { connectOverHttp } from './support/mcp-client.ts'

const ALLOWED = 'https://app.example'

const server = await startFileServer({ ALLOWED_API_ORIGINS: ` ${ALLOWED} , https://admin.example ` })
const { url, apiKey: key } = server
const byDefault = await startFileServer({ APP_URL: 'https://mail.example/app' })

const namesOf = (list: string | null) => (list ?? '').split(',').map((name) => name.trim().toLowerCase())

describe('contract: GET /health is 200 {"status":"ok"}, GET /ready reports the state of the store', () => {
  test('health needs no credentials', async () => {
    const { status, body } = await ask(`${url}/health`)
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } })
  })

  test('a wrong key does not change it', async () => {
    expect((await ask(`${url}/health`, { key: 'wrong' })).status).toBe(200)
  })

  test('ready is 200 while the database and the disk work', async () => {
    expect((await ask(`${url}/ready`)).status).toBe(200)
  })
})

describe('contract: CORS for the origins of ALLOWED_API_ORIGINS, trimmed', () => {
  test.each([ALLOWED, 'https://admin.example'])('%s may read responses and the exposed headers', async (origin) => {
    const { status, headers } = await ask(`${url}/v1/messages`, { key, headers: { origin } })
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(namesOf(headers.get('vary'))).toContain('origin')
    const exposed = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']
    expect(namesOf(headers.get('access-control-expose-headers')).sort()).toEqual(exposed.sort())
  })

  test.each<[string, number]>([
    ['/v1/messages?limit=0', 400],
    ['/v1/messages/latest', 404],
    ['/nope', 404],
  ])('failures are readable too: %s', async (path, status) => {
    const answer = await ask(url + path, { key, headers: { origin: ALLOWED } })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('access-control-allow-origin')).toBe(ALLOWED)
  })

  test('a 401 is readable too', async () => {
    const { status, headers } = await ask(`${url}/v1/messages`, { headers: { origin: ALLOWED } })
    expect(status).toBe(401)
    expect(headers.get('access-control-allow-origin')).toBe(ALLOWED)
  })

  test.each([
    'https://evil.example',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example.evil.example',
    'https://sub.app.example',
    'null',
  ])('another origin is not allowed: %s', async (origin) => {
    const { headers } = await ask(`${url}/v1/messages`, { key, headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    const preflight = await askFirst(origin)
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('a request without Origin gets the usual response', async () => {
    const { status, headers } = await ask(`${url}/v1/messages`, { key })
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  test('a preflight needs no key and lists methods and headers', async () => {
    const { status, headers } = await askFirst(ALLOWED)
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(ALLOWED)
    const methods = ['get', 'post', 'patch', 'delete', 'options']
    expect(namesOf(headers.get('access-control-allow-methods')).sort()).toEqual(methods.sort())
    const allowed = ['authorization', 'content-type', 'last-event-id']
    expect(namesOf(headers.get('access-control-allow-headers')).sort()).toEqual(allowed)
    expect(headers.get('x-request-id')).toMatch(/^\S+$/)
  })
})

describe('MCP clients in a browser', () => {
  test('may send the headers of their protocol and read its session header, only at /mcp', async () => {
    const { status, headers } = await askFirst(ALLOWED, '/mcp')
    expect(status).toBe(204)
    expect(namesOf(headers.get('access-control-allow-headers')).sort()).toEqual([
      'authorization',
      'content-type',
      'last-event-id',
      'mcp-method',
      'mcp-name',
      'mcp-protocol-version',
      'mcp-session-id',
    ])
    for (const key of [server.apiKey, 'wrong']) {
      const answer = await ask(`${url}/mcp`, { key, headers: { origin: ALLOWED } })
      expect(answer.headers.get('access-control-allow-origin')).toBe(ALLOWED)
      const exposed = namesOf(answer.headers.get('access-control-expose-headers'))
      expect(exposed).toEqual(expect.arrayContaining(['mcp-session-id', 'www-authenticate', 'x-request-id']))
    }
    for (const path of ['/mcp/other', '/v1/mcp', '/v1/messages']) {
      const other = await askFirst(ALLOWED, path)
      expect(other.headers.get('access-control-allow-headers')).not.toMatch(/mcp/i)
    }
    expect((await askFirst('https://evil.example', '/mcp')).headers.get('access-control-allow-headers')).toBeNull()
  })

  test.each(['current', 'legacy'] as const)('the official client of the %s revision is allowed', async (era) => {
    const { client, call } = await connectOverHttp(server, era, fetchAsBrowser)
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    expect(await call('list_emails')).toMatchObject({ isError: false })
  })

  /** Sends a preflight first, and nothing that was not allowed. */
  const fetchAsBrowser: typeof fetch = async (input, options = {}) => {
    const preflight = await askFirst(ALLOWED, '/mcp')
    const allowed = [...namesOf(preflight.headers.get('access-control-allow-headers')), 'accept']
    const headers = new Headers(options.headers)
    expect([...headers.keys()].filter((name) => !allowed.includes(name))).toEqual([])
    headers.set('origin', ALLOWED)
    return fetch(input, { ...options, headers })
  }
})

describe('configuration: ALLOWED_API_ORIGINS defaults to the app origin', () => {
  test.each<[string, string | null]>([
    ['https://mail.example', 'https://mail.example'],
    [ALLOWED, null],
  ])('%s', async (origin, allowed) => {
    const { headers } = await ask(`${byDefault.url}/health`, { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe(allowed)
  })
})

function askFirst(origin: string, path = '/v1/messages'): Promise<Response> {
  return fetch(url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  })
}
