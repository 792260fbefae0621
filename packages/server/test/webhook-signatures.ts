import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { signWebhook, verifyWebhook } from '@mailhatch/sdk'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { webhookEventBody } from '../src/domain/webhook-event.ts'
import { newId } from '../src/random.ts'
import { seededRandom } from './support/seeded-random.ts'

const SUBJECTS = [
  '',
  'Your code is 123456',
  'Grüße 😀',
  '漢字\u2028',
  '"\\\u0001\r\n',
  'e\u0301'.repeat(400),
  'x'.repeat(19_000),
]
const TAGS = [null, '42', 'ünï', '😀']

type Delivery = { id: string; body: string; headers: Record<string, string> }

const random = seededRandom(5)
const now = Date.now()
const timestamp = Math.floor(now / 1000)
const secret = randomSecret()
const other = randomSecret()

/** Signed at the same time, with the same secret. */
function signMany(count: number): Promise<Delivery[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const subject = `${random.pick(SUBJECTS)}${number % 7 === 0 ? '' : number}`
      const message = {
        id: newId(now),
        mailbox: 'qa',
        mailboxWithTag: 'qa',
        tag: random.pick(TAGS),
        from: 'a@shop.example',
      }
      const rest = {
        to: 'qa@mailhatch.test',
        subject: number === 0 ? '' : subject,
        receivedAt: now,
        domain: 'mailhatch.test',
      }
      const body = webhookEventBody({ ...message, ...rest }, now)
      // Every other one is signed as during a secret rotation.
      const secrets = number % 2 === 0 ? [secret] : [randomSecret(), secret]
      return { id: message.id, body, headers: await signWebhook({ id: message.id, body, secrets, timestamp }) }
    }),
  )
}

/** What a customer would write without a library. */
function isSignedByHand({ body, headers }: Omit<Delivery, 'id'>, key = secret, at = now): boolean {
  const [time, ...signatures] = headers['x-service-signature']!.split(',')
  const seconds = time!.replace('t=', '')
  if (Math.abs(at / 1000 - Number(seconds)) > 300) return false
  const expected = createHmac('sha256', key).update(`${seconds}.${body}`).digest()
  return signatures.some((signature) => timingSafeEqual(Buffer.from(signature.replace('v1=', ''), 'hex'), expected))
}

function isSignedByTheStandard({ body, headers }: Omit<Delivery, 'id'>, key = secret): boolean {
  try {
    new Webhook(key).verify(body, headers)
    return true
  } catch {
    return false
  }
}

async function isSignedByTheSdk({ body, headers }: Omit<Delivery, 'id'>, key = secret, at = now): Promise<boolean> {
  return verifyWebhook({ secret: key, body, headers, now: at }).then(
    () => true,
    () => false,
  )
}

/** Every way to verify, on as many random deliveries. */
export async function testSignatures(count: number): Promise<void> {
  const deliveries = await signMany(count)

  test('the official Standard Webhooks package, a few lines by hand and the SDK verify every delivery', async () => {
    expect(deliveries).toHaveLength(count)
    expect(Math.max(...deliveries.map(({ body }) => Buffer.byteLength(body)))).toBeGreaterThan(19_000)
    expect(deliveries.some(({ body }) => body.includes('"subject":""'))).toBe(true)
    expect(deliveries.filter((delivery) => !isSignedByTheStandard(delivery))).toEqual([])
    expect(deliveries.filter((delivery) => !isSignedByHand(delivery))).toEqual([])
    expect(
      (await Promise.all(deliveries.map((each) => isSignedByTheSdk(each)))).filter((isSigned) => !isSigned),
    ).toEqual([])
  })

  test('none verifies with a changed byte', async () => {
    for (const { body, headers } of deliveries) {
      const bytes = Buffer.from(body)
      bytes[random.below(bytes.length)]! ^= 1 << random.below(7)
      const changed = { body: bytes.toString('utf8'), headers }
      expect([isSignedByTheStandard(changed), isSignedByHand(changed), await isSignedByTheSdk(changed)]).toEqual(NONE)
    }
  })

  test('none verifies with another secret', async () => {
    for (const delivery of deliveries) {
      const verdicts = [isSignedByTheStandard(delivery, other), isSignedByHand(delivery, other)]
      expect([...verdicts, await isSignedByTheSdk(delivery, other)]).toEqual(NONE)
    }
  })

  test('none verifies with an old timestamp, whether signed then or changed afterwards', async () => {
    const then = timestamp - 301
    for (const { id, body, headers } of deliveries) {
      const signedThen = { body, headers: await signWebhook({ id, body, secrets: [secret], timestamp: then }) }
      const verdicts = [
        isSignedByTheStandard(signedThen),
        isSignedByHand(signedThen),
        await isSignedByTheSdk(signedThen),
      ]
      expect(verdicts).toEqual(NONE)
      // It was valid at its time.
      expect(isSignedByHand(signedThen, secret, then * 1000)).toBe(true)
      const renamed = Object.entries(headers).map(([name, text]) => [
        name,
        text.replace(String(timestamp), String(timestamp - 1)),
      ])
      const changed: Omit<Delivery, 'id'> = { body, headers: Object.fromEntries(renamed) }
      expect([isSignedByTheStandard(changed), isSignedByHand(changed), await isSignedByTheSdk(changed)]).toEqual(NONE)
    }
  })
}

const NONE = [false, false, false]

function randomSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
