import { verifyWebhook } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { startWebhookReceiver, type ReceiverAnswer } from '../../test/support/webhook-receiver.ts'
import { createAttempts } from './attempt.ts'
import { createSafeRequest } from './safe-request.ts'
import { parseAllowedHosts } from './webhook-url.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const SECRET = `whsec_${btoa('the present secret of the tests.')}`
const OLD_SECRET = `whsec_${btoa('the former secret of the tests..')}`
const EVENT = { eventId: 'event-1', body: '{"event":"email.received","data":{"id":"m1","subject":"Grüße"}}' }

/** "Encrypted" by reversing it: enough to see that it was decrypted. */
const reversed = (text: string) => text.split('').reverse().join('')

async function start(answer: ReceiverAnswer | null = { status: 200 }, path = '/hook') {
  const receiver = await startWebhookReceiver(() => answer)
  const logged: string[] = []
  const attempt = createAttempts({
    request: createSafeRequest({
      allowedHosts: parseAllowedHosts(receiver.host),
      // Only the tests without a response wait for the timeout.
      totalTimeoutMs: answer === null ? 200 : 20_000,
    }),
    decryptSecret(sealed) {
      if (!reversed(sealed).startsWith('whsec_')) throw new Error('sealed with another key')
      return reversed(sealed)
    },
    traceHeaders: () => ({ traceparent: 'of the test', 'webhook-id': 'of no event' }),
    now: () => NOW,
    log: { error: (facts, message) => logged.push(JSON.stringify(facts) + message) },
  })
  const endpoint = {
    id: 'endpoint-1',
    url: receiver.url + path,
    secret: reversed(SECRET),
    oldSecrets: [],
  }
  return { ...receiver, attempt, endpoint, logged }
}

test('an attempt is a signed POST of exactly the stored body', async () => {
  const { attempt, endpoint, received } = await start({ status: 204 })
  const result = await attempt(endpoint, EVENT)
  expect(result).toEqual({
    httpStatus: 204,
    responseBody: '',
    latencyMs: expect.any(Number),
    error: null,
    retryAfterMs: null,
  })
  const [webhook] = received
  expect(webhook).toMatchObject({ path: '/hook', body: EVENT.body, id: 'event-1' })
  expect(webhook!.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Mailhatch-Webhook/1',
    traceparent: 'of the test',
    'webhook-timestamp': String(NOW / 1000),
  })
  const delivered = { body: webhook!.body, headers: webhook!.headers, now: NOW }
  await expect(verifyWebhook({ ...delivered, secret: SECRET })).resolves.toMatchObject({ event: 'email.received' })
  await expect(verifyWebhook({ ...delivered, secret: OLD_SECRET })).rejects.toThrow('No signature matches')
})

test.each([
  { until: NOW + 1, signing: [SECRET, OLD_SECRET] },
  { until: NOW, signing: [SECRET] },
])('an old secret signs too until it expires: $until', async ({ until, signing }) => {
  const { attempt, endpoint, received } = await start()
  await attempt({ ...endpoint, oldSecrets: [{ secret: reversed(OLD_SECRET), until }] }, EVENT)
  const { body, headers } = received[0]!
  const verified: string[] = []
  for (const secret of [SECRET, OLD_SECRET]) {
    const event = await verifyWebhook({ secret, body, headers, now: NOW }).catch(() => null)
    if (event) verified.push(secret)
  }
  expect(verified).toEqual(signing)
})

test.each([
  { status: 500, error: 'The endpoint responded with 500.' },
  { status: 410, error: 'The endpoint responded with 410.' },
  { status: 302, error: 'The endpoint responded with a redirect (302); redirects are not followed.' },
])('$status is reported in a sentence', async ({ status, error }) => {
  const { attempt, endpoint, received } = await start({ status, headers: { location: '/elsewhere' }, body: 'Sorry!' })
  expect(await attempt(endpoint, EVENT)).toMatchObject({ httpStatus: status, error, responseBody: 'Sorry!' })
  expect(received).toHaveLength(1)
})

test('Retry-After is read as seconds or a date', async () => {
  for (const value of ['60', 'Sat, 31 Jan 2026 12:01:00 GMT']) {
    const { attempt, endpoint } = await start({ status: 503, headers: { 'retry-after': value } })
    expect(await attempt(endpoint, EVENT)).toMatchObject({ httpStatus: 503, retryAfterMs: 60_000 })
  }
})

test.each([1_023, 1_024, 1_025])('of a response of %i characters, 1,024 are kept', async (length) => {
  const { attempt, endpoint } = await start({ status: 200, body: 'é'.repeat(length) })
  expect((await attempt(endpoint, EVENT)).responseBody).toBe('é'.repeat(Math.min(length, 1_024)))
})

test('a response of any bytes is kept as text that databases can store', async () => {
  const { attempt, endpoint } = await start({ status: 200, body: `a\0b${'😀'.repeat(600)}` })
  const { responseBody } = await attempt(endpoint, EVENT)
  expect(responseBody).toBe(`ab${'😀'.repeat(511)}`)
})

test('no response in time is a failure', async () => {
  const { attempt, endpoint } = await start(null)
  const result = await attempt(endpoint, EVENT)
  expect(result).toMatchObject({ httpStatus: null, responseBody: null, error: 'The endpoint did not respond in time.' })
  expect(result.latencyMs).toBeGreaterThanOrEqual(190)
})

test('a disallowed address is not contacted', async () => {
  const { attempt, endpoint, received } = await start()
  const url = endpoint.url.replace('127.0.0.1', '127.0.0.2')
  expect(await attempt({ ...endpoint, url }, EVENT)).toMatchObject({ httpStatus: null, error: expect.any(String) })
  expect(received).toEqual([])
})

test('a secret that cannot be decrypted is a failure without details, and nothing is sent', async () => {
  const { attempt, endpoint, received, logged } = await start()
  expect(await attempt({ ...endpoint, secret: 'sealed otherwise' }, EVENT)).toMatchObject({
    httpStatus: null,
    error: 'The request could not be sent because of a problem on our side.',
  })
  expect(received).toEqual([])
  expect(logged).toEqual([expect.stringContaining('endpoint-1')])
  expect(logged.join()).not.toContain('sealed otherwise')
})
