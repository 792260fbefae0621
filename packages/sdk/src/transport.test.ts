import { describe, expect, test } from 'vitest'
import { refusal, startFakeServer, success } from '../test/support/fake-server.ts'
import { MailhatchError, RateLimitError } from './errors.ts'
import { retryDelay } from './transport.ts'

const ME = success({ data: { cursor: 'c1' } })

describe('retries', () => {
  test.each([
    [429, refusal(429, 'rate_limited')],
    [502, refusal(502, 'unknown')],
    [503, refusal(503, 'shutting_down')],
    // No response at all:
    [0, 'drop'],
  ] as const)('a read after status %i, twice by default', async (status, failure) => {
    const recovering = await startFakeServer([failure, failure, ME])
    expect((await recovering.sdk.me()).cursor).toBe('c1')
    const lasting = await startFakeServer([failure])
    await expect(lasting.sdk.me()).rejects.toMatchObject({ status })
    expect(lasting.requests).toHaveLength(3)
    const once = await startFakeServer([failure], { retries: 0 })
    await expect(once.sdk.me()).rejects.toMatchObject({ status })
    expect(once.requests).toHaveLength(1)
  })

  test('a write only if the server said that it did nothing', async () => {
    for (const failure of [refusal(429, 'rate_limited'), refusal(503, 'server_busy')]) {
      const { sdk, requests } = await startFakeServer([failure, success({ data: { id: '1' } })])
      expect(await sdk.messages.delete('1')).toEqual({ id: '1' })
      expect(requests).toHaveLength(2)
    }
    for (const failure of [refusal(503, 'shutting_down'), 'drop'] as const) {
      const { sdk, requests } = await startFakeServer([failure])
      await expect(sdk.mailboxes.create('qa')).rejects.toBeInstanceOf(MailhatchError)
      expect(requests).toHaveLength(1)
    }
  })

  test('not before Retry-After, and not at all if that is too long', async () => {
    const soon = await startFakeServer([{ status: 429, headers: { 'retry-after': '0.4' }, body: '{}' }, ME])
    const startedAt = performance.now()
    await soon.sdk.me()
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(390)
    const late = await startFakeServer([
      { status: 429, headers: { 'retry-after': '3600' }, body: '{"error":"Later."}' },
    ])
    await expect(late.sdk.me()).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs: 3_600_000 })
    expect(late.requests).toHaveLength(1)
  })
})

test('clients that the server asks to retry at the same time return spread over half of that time', () => {
  const refusal = new RateLimitError('Later.', {
    status: 429,
    body: { error: 'Later.', code: 'rate_limited', requestId: 'r1' },
    retryAfterMs: 1_000,
  })
  const delays = Array.from({ length: 1_000 }, () => retryDelay(refusal, 250))
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(1_000)
  expect(Math.max(...delays)).toBeLessThan(1_500)
  for (const start of [1_000, 1_100, 1_200, 1_300, 1_400]) {
    expect(delays.filter((ms) => ms >= start && ms < start + 100).length, `from ${start} ms`).toBeGreaterThan(100)
  }
})

describe('a request ends', () => {
  test.each([
    ['at the client’s time limit', { timeout: 50, retries: 0 }, {}],
    ['at its own time limit', { retries: 0 }, { timeout: 50 }],
  ])('%s', async (_, ofClient, ofRequest) => {
    const { sdk } = await startFakeServer(['hang'], ofClient)
    await expect(sdk.me(ofRequest)).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringMatching(/^http:\S+ did not respond within 50 ms\.$/),
    })
  })

  test('when its signal fires, also between two attempts', async () => {
    const silent = await startFakeServer(['hang'])
    const controller = new AbortController()
    const asking = silent.sdk.me({ signal: controller.signal })
    await expect.poll(() => silent.requests.length).toBe(1)
    controller.abort(new Error('Enough'))
    await expect(asking).rejects.toThrow('Enough')

    const slow = await startFakeServer([{ status: 429, headers: { 'retry-after': '20' }, body: '{}' }])
    const another = new AbortController()
    const retrying = slow.sdk.me({ signal: another.signal })
    await expect.poll(() => slow.requests.length).toBe(1)
    another.abort(new Error('Enough'))
    await expect(retrying).rejects.toThrow('Enough')
    await expect(slow.sdk.me({ signal: another.signal })).rejects.toThrow('Enough')
    expect(slow.requests).toHaveLength(1)
  })
})

test.each([
  ['http://127.0.0.1:2', 'No server at http://127.0.0.1:2. Start one with `mailhatch serve`, or set MAILHATCH_URL.'],
  ['http://127.0.0.1:1', 'http://127.0.0.1:1 is unreachable (bad port). Is Mailhatch running there?'],
])('an unreachable server is named, with the reason: %s', async (url, says) => {
  const { sdk } = await startFakeServer(['drop'], { url, retries: 0 })
  await expect(sdk.me()).rejects.toThrow(says)
})

test('requests on the wire', async () => {
  const { sdk, requests } = await startFakeServer([success({ data: [], has_more: false })], { apiKey: ' key\n' })
  await sdk.messages.list({ mailbox: 'qa+1', tags: ['a', 'b'], limit: 5 })
  await sdk.mailboxes.create('qa')
  await sdk.messages.get('a/b')
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/messages?mailbox=qa%2B1&tags=a&tags=b&limit=5',
    'POST /v1/mailboxes',
    'GET /v1/messages/a%2Fb',
  ])
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer key'))
  expect(requests.map(({ headers }) => headers['content-type'])).toEqual([undefined, 'application/json', undefined])
})

test('a custom fetch', async () => {
  const requests: RequestInit[] = []
  const { sdk } = await startFakeServer(['drop'], {
    fetch: async (_, init) => {
      requests.push(init!)
      return Response.json({ data: { cursor: 'c7' } })
    },
  })
  expect((await sdk.me()).cursor).toBe('c7')
  expect(requests).toMatchObject([{ method: 'GET', headers: { authorization: 'Bearer key' } }])
})
