import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ErrorBody } from '@mailhatch/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { announcement, post } from './support/announce.ts'
import { ask, type Answer } from './support/ask.ts'
import { startFileServer } from './support/file-server.ts'
import { WEBHOOK_SECRET } from './support/server.ts'

/** Limit of the whole URL, including scheme and host. */
const URL_CHARACTERS_MAX = 8_192
const INGEST_BYTES_MAX = 27 * 1024 * 1024

const server = await startFileServer()
const { url, apiKey: key, get } = server
const { port } = new URL(url)

/** Status and code of a failure in the common format, with nothing beside them but `details`. */
function failureOf({ status, headers, body }: Answer<ErrorBody>): { status: number; code: string } {
  const { details = {}, ...rest } = body
  expect(rest).toEqual({
    error: expect.stringMatching(/^\S.*\S$/),
    code: expect.stringMatching(/^[a-z_]+$/),
    requestId: expect.stringMatching(/^\S+$/),
  })
  expect(headers.get('x-request-id')).toBe(body.requestId)
  for (const messages of Object.values(details)) expect(messages).toEqual([expect.any(String)])
  return { status, code: body.code }
}

const padded = (bytes: number) => JSON.stringify(announcement()).padEnd(bytes)
const longPath = (characters: number) => '/v1/messages?x='.padEnd(characters - url.length, 'x')

/** Sends raw bytes, which fetch would correct. */
async function raw(bytes: string): Promise<Answer<ErrorBody>> {
  const socket = connect(Number(port), '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
  socket.write(bytes)
  await once(socket, 'close')
  const [head = '', body = ''] = received.split('\r\n\r\n', 2)
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((line): [string, string] => [line.split(': ')[0]!, line.split(': ')[1]!]))
  // The test checks the shape.
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) as ErrorBody }
}

describe('contract: an unknown route is 404 in the common error format', () => {
  test.each(['/nope', '/v1', '/v1/nope', '/v1/messages/a/b/c', '/V1/messages', '/webhooks/other', '/%E0%A4%A'])(
    '%s',
    async (path) => {
      expect(failureOf(await get(path))).toEqual({ status: 404, code: 'not_found' })
    },
  )
})

describe('contract: a known route with another method is 405 with Allow', () => {
  test.each([
    ['PUT', '/v1/messages', 'GET'],
    ['PUT', '/v1/messages/latest', 'GET'],
    ['PUT', '/v1/messages/some-id', 'GET'],
    ['POST', '/v1/me', 'GET'],
    ['POST', '/health', 'GET'],
    ['DELETE', '/ready', 'GET'],
    ['GET', '/webhooks/inbox', 'POST'],
    ['PUT', '/webhooks/inbox', 'POST'],
  ])('%s %s', async (method, path, allowed) => {
    const answer = await ask(url + path, { method, key })
    expect(failureOf(answer)).toEqual({ status: 405, code: 'method_not_allowed' })
    expect(answer.headers.get('allow')!.split(', ')).toContain(allowed)
    expect(answer.headers.get('allow')!.split(', ')).not.toContain(method)
  })
})

describe('limit: an announcement of 27 MiB, 413 above', () => {
  test.each([INGEST_BYTES_MAX - 1, INGEST_BYTES_MAX])('%i bytes are accepted', async (bytes) => {
    expect((await post(url, padded(bytes))).status).toBe(200)
  })

  test('one more byte is refused, and the server continues', async () => {
    expect(failureOf(await post(url, padded(INGEST_BYTES_MAX + 1)))).toEqual({ status: 413, code: 'payload_too_large' })
    expect((await post(url, announcement())).status).toBe(200)
  })

  test('a body without a length is refused too, and its connection is closed', async () => {
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${WEBHOOK_SECRET}` }
    const sending = request(`${url}/webhooks/inbox`, { method: 'POST', headers, agent })
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>
    // The server may close before it has read the whole body.
    sending.on('error', () => {})
    // Written before the end, so that it is sent in chunks without a length.
    sending.write(' '.repeat(INGEST_BYTES_MAX))
    sending.end(' ')
    const [response] = await answered
    expect(response.statusCode).toBe(413)
    expect(JSON.parse(await text(response))).toMatchObject({ code: 'payload_too_large' })
    expect(response.headers.connection).toBe('close')
  })
})

describe('limit: a URL of 8 KiB, 414 above', () => {
  test.each([URL_CHARACTERS_MAX - 1, URL_CHARACTERS_MAX])('%i characters are accepted', async (characters) => {
    expect((await get(longPath(characters))).status).toBe(200)
  })

  test('one more is refused', async () => {
    const answer = await get(longPath(URL_CHARACTERS_MAX + 1))
    expect(failureOf(answer)).toEqual({ status: 414, code: 'url_too_long' })
  })
})

describe('limit: headers of 16 KiB, 431 above', () => {
  test('15 KiB are accepted', async () => {
    const answer = await ask(`${url}/health`, { headers: { 'x-long': 'x'.repeat(15 * 1024) } })
    expect(answer.status).toBe(200)
  })

  test('17 KiB are refused in the common error format', async () => {
    const answer = await raw(`GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17 * 1024)}\r\n\r\n`)
    expect(failureOf(answer)).toEqual({ status: 431, code: 'headers_too_large' })
  })
})

test('contract: a request that is not HTTP is 400 in the common error format', async () => {
  const answer = await raw('THIS IS NOT HTTP\r\n\r\n')
  expect(failureOf(answer)).toEqual({ status: 400, code: 'validation_failed' })
})

describe('contract: X-Request-Id is unique and on every response', () => {
  test.each(['/health', '/ready', '/v1/me', '/v1/messages', '/v1/messages/latest', '/nope', '/v1/messages?limit=0'])(
    '%s',
    async (path) => {
      const [one, two] = await Promise.all([get(path), get(path)])
      expect(one.headers.get('x-request-id')).toMatch(/^\S+$/)
      expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'))
    },
  )

  test.each([
    ['401', () => ask(`${url}/v1/me`), 401, 'unauthorized'],
    ['404', () => get('/v1/messages/latest', { mailbox: 'none' }), 404, 'message_not_found'],
    ['422', () => post(url, {}), 422, 'validation_failed'],
    ['webhook 404', () => post(url, announcement({ domain: 'else.example' })), 404, 'inbox_domain_unknown'],
  ] as const)('%s has it in the body too', async (_, request, status, code) => {
    expect(failureOf(await request())).toEqual({ status, code })
  })
})

describe('contract: bad query parameters are 400 with details', () => {
  const ONCE = [
    'mailbox',
    'tag',
    'q',
    'to',
    'from',
    'subject',
    'text',
    'header',
    'start',
    'end',
    'since',
    'after',
    'wait',
  ]

  test.each([...ONCE, 'limit', 'after_id'])('%s given twice', async (name) => {
    const values: Record<string, string> = {
      header: 'A:b',
      start: '2025-01-01',
      end: '2025-01-01',
      limit: '1',
      wait: '0',
    }
    const value = values[name] ?? (name === 'since' ? '2025-01-01T00:00:00Z' : 'abc')
    const paths = ONCE.includes(name) ? ['/v1/messages', '/v1/messages/latest'] : ['/v1/messages']
    for (const path of paths) {
      const answer = await get(path, `${name}=${value}&${name}=${value}`)
      expect(failureOf(answer)).toEqual({ status: 400, code: 'validation_failed' })
      expect(answer.body.details).toHaveProperty(name)
    }
  })

  test('more than 100 tags are refused instead of ignored', async () => {
    const tags = (count: number) => `tags=${Array.from({ length: count }, (_, number) => `t${number}`).join('&tags=')}`
    expect((await get('/v1/messages', tags(100))).status).toBe(200)
    const answer = await get('/v1/messages', tags(101))
    expect(failureOf(answer)).toEqual({ status: 400, code: 'validation_failed' })
    expect(answer.body.details).toHaveProperty('tags')
  })

  test('all bad parameters are named in one response', async () => {
    const answer = await get('/v1/messages', 'limit=0&wait=abc&start=x&end=y&since=z&after=!')
    expect(failureOf(answer)).toEqual({ status: 400, code: 'validation_failed' })
    expect(Object.keys(answer.body.details!).sort()).toEqual(['after', 'end', 'limit', 'since', 'start', 'wait'])
  })

  test.each(['q', 'to', 'from', 'subject', 'text', 'tag', 'tags', 'header', 'after_id'])(
    'NUL in %s is refused instead of ignored',
    async (name) => {
      for (const value of ['%00', 'A:%00b']) {
        const answer = await get('/v1/messages', `${name}=${value}`)
        expect(failureOf(answer)).toEqual({ status: 400, code: 'validation_failed' })
        expect(answer.body.details).toEqual({ [name]: ['must not contain NUL'] })
      }
    },
  )

  test('NUL in a mailbox name is refused', async () => {
    expect(failureOf(await get('/v1/messages', 'mailbox=a%00b'))).toEqual({ status: 400, code: 'mailbox_invalid' })
    expect((await get('/v1/messages', 'mailbox=ab')).status).toBe(200)
  })

  test.each(['q=%E0%A4%A', 'q=%', 'q=%ED%A0%80', '&&=&=x&?'])(
    'unusual escapes never cause a 500: %s',
    async (query) => {
      for (const path of ['/v1/messages', '/v1/messages/latest']) {
        expect([200, 404]).toContain((await get(path, query)).status)
      }
    },
  )
})
