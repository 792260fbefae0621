import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signWebhook, verifyWebhook, WebhookVerificationError } from './webhook.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const ID = 'evt_0199a3c2'
const TIMESTAMP = 1_769_860_800
const NOW = TIMESTAMP * 1000
const EVENT = { event: 'email.received', timestamp: '2026-01-31T12:00:00.000Z', data: { subject: 'Grüße 😀 漢' } }
const BODY = JSON.stringify(EVENT)

// Computed with Node's HMAC, not with the code under test.
const SERVICE_HEADERS = {
  'x-service-signature': `t=${TIMESTAMP},v1=${createHmac('sha256', SECRET).update(`${TIMESTAMP}.${BODY}`).digest('hex')}`,
}
const STANDARD_HEADERS = {
  'webhook-id': ID,
  'webhook-timestamp': String(TIMESTAMP),
  'webhook-signature': `v1,${createHmac('sha256', Buffer.alloc(32, 7)).update(`${ID}.${TIMESTAMP}.${BODY}`).digest('base64')}`,
}

const FAMILIES = [
  { family: 'x-service-signature', headers: SERVICE_HEADERS, signatureHeader: 'x-service-signature' },
  { family: 'webhook-*', headers: STANDARD_HEADERS, signatureHeader: 'webhook-signature' },
] as const

describe('signing', () => {
  test('returns the headers of both families', async () => {
    const headers = await signWebhook({ id: ID, body: BODY, secrets: [SECRET], timestamp: TIMESTAMP })
    expect(headers).toEqual({ ...SERVICE_HEADERS, ...STANDARD_HEADERS })
  })

  test('during a rotation there is a signature for each secret, the old one first', async () => {
    const sign = (secrets: string[]) => signWebhook({ id: ID, body: BODY, secrets, timestamp: TIMESTAMP })
    const [both, old, current] = [await sign([SECRET, OTHER_SECRET]), await sign([SECRET]), await sign([OTHER_SECRET])]
    const hex = current['x-service-signature']!.split(',')[1]
    expect(both['x-service-signature']).toBe(`${old['x-service-signature']},${hex}`)
    expect(both['webhook-signature']).toBe(`${old['webhook-signature']} ${current['webhook-signature']}`)
    for (const secret of [SECRET, OTHER_SECRET]) {
      for (const { signatureHeader } of FAMILIES) {
        const headers = signatureHeader === 'webhook-signature' ? both : { [signatureHeader]: both[signatureHeader] }
        expect(await verifyWebhook({ secret, body: BODY, headers, now: NOW })).toEqual(EVENT)
      }
    }
  })

  test.each(['', 'whsec_', 'secret', 'whsec_not base64!'])('%j is not a secret to sign with', async (secret) => {
    const signing = signWebhook({ id: ID, body: BODY, secrets: [secret], timestamp: TIMESTAMP })
    await expect(signing).rejects.toThrow(TypeError)
  })
})

describe.each(FAMILIES)('verifying $family', ({ headers, signatureHeader }) => {
  const received = { secret: SECRET, body: BODY, headers, now: NOW }

  test.each([
    ['as received', received],
    ['with the body as bytes', { ...received, body: Buffer.from(BODY) }],
    ['with Headers', { ...received, headers: new Headers(headers) }],
    ['with upper-case header names', { ...received, headers: upperCased(headers) }],
    ['with lists of values', { ...received, headers: listed(headers) }],
    ['with one of several secrets', { ...received, secret: [OTHER_SECRET, SECRET] }],
    ['with an additional signature of another version', { ...received, headers: withAnotherVersion(headers) }],
    ['at the maximum age', { ...received, now: NOW + 300_000 }],
    ['at the maximum clock skew', { ...received, now: NOW - 300_000 }],
    ['when more time is allowed', { ...received, now: NOW + 900_000, toleranceSeconds: 900 }],
  ])('accepts a delivery %s', async (_case, delivery) => {
    expect(await verifyWebhook(delivery)).toEqual(EVENT)
  })

  test.each([
    ['a changed byte of the body', { ...received, body: BODY.replace('email', 'emaiL') }, 'No signature matches'],
    ['a reformatted body', { ...received, body: JSON.stringify(EVENT, null, 1) }, 'No signature matches'],
    ['another secret', { ...received, secret: OTHER_SECRET }, 'No signature matches'],
    ['no secret at all', { ...received, secret: [] }, 'No signature matches'],
    ['an old timestamp', { ...received, now: NOW + 300_001 }, 'too old'],
    ['a timestamp in the future', { ...received, now: NOW - 300_001 }, 'from the future'],
    ['a newer timestamp under an old signature', { ...received, headers: renewed(headers) }, 'No signature matches'],
    ['a timestamp that is not a number', { ...received, headers: renewed(headers, 'soon') }, 'not a number'],
    [
      'a cut signature',
      { ...received, headers: changed(headers, (text) => text.slice(0, -2)) },
      'No signature matches',
    ],
    [
      'no v1 signature',
      { ...received, headers: changed(headers, (text) => text.replace('v1', 'v0')) },
      'No signature matches',
    ],
    ['no headers', { ...received, headers: {} }, 'no signature headers'],
  ])('refuses %s', async (_case, delivery, reason) => {
    const verifying = verifyWebhook(delivery)
    await expect(verifying).rejects.toThrow(WebhookVerificationError)
    await expect(verifying).rejects.toThrow(reason)
  })

  test('checks only a few of thousands of signatures', async () => {
    const separator = signatureHeader === 'webhook-signature' ? ' v1,' : ',v1='
    const many = changed(headers, (text) => text + `${separator}${'00'.repeat(32)}`.repeat(10_000))
    expect(await verifyWebhook({ ...received, headers: many })).toEqual(EVENT)
    await expect(verifyWebhook({ ...received, headers: many, secret: OTHER_SECRET })).rejects.toThrow(
      'No signature matches',
    )
  })

  function changed(headers: Record<string, string>, change: (text: string) => string): Record<string, string> {
    return { ...headers, [signatureHeader]: change(headers[signatureHeader]!) }
  }

  function withAnotherVersion(headers: Record<string, string>): Record<string, string> {
    return changed(headers, (text) =>
      signatureHeader === 'webhook-signature' ? `v2,AAAA ${text}` : text.replace(',', ',v2=00, '),
    )
  }
})

test('a wrong webhook-signature is an error even if x-service-signature is right', async () => {
  const headers = { ...SERVICE_HEADERS, ...STANDARD_HEADERS, 'webhook-id': 'evt_another' }
  await expect(verifyWebhook({ secret: SECRET, body: BODY, headers, now: NOW })).rejects.toThrow('No signature matches')
})

test('a signed body that is not JSON is refused', async () => {
  const headers = await signWebhook({ id: ID, body: 'hello', secrets: [SECRET], timestamp: TIMESTAMP })
  const verifying = verifyWebhook({ secret: SECRET, body: 'hello', headers, now: NOW })
  await expect(verifying).rejects.toThrow('not JSON')
})

function upperCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
}

function listed(headers: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
}

function renewed(headers: Record<string, string>, timestamp = String(TIMESTAMP + 1)): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace(String(TIMESTAMP), timestamp)]),
  )
}
