import { describe, expect, test, vi } from 'vitest'
import { store } from './support/announce.ts'
import { startServer } from './support/server.ts'
import { webhookClient } from './support/webhook-client.ts'
import { startWebhookReceiver, type ReceiverAnswer } from './support/webhook-receiver.ts'

const SECOND_MS = 1_000
const DAY_MS = 86_400 * SECOND_MS
const START = Date.UTC(2026, 0, 31, 12)

/** Two endpoints on one server whose clock only the test moves: one responds on demand, the other accepts everything. */
async function start(answer: () => ReceiverAnswer) {
  const clock = { now: START }
  const receiver = await startWebhookReceiver(({ path }) => (path === '/troubled' ? answer() : { status: 200 }))
  const { url, apiKey } = await startServer({ WEBHOOK_ALLOWED_HOSTS: receiver.host }, () => clock.now)
  const webhooks = webhookClient(url, apiKey)
  const { endpoint } = await webhooks.add({ url: `${receiver.url}/troubled`, mailbox: 'orders' })
  await webhooks.add({ url: `${receiver.url}/well`, mailbox: 'other' })
  const receivedBy = (path: string) => receiver.received.filter((webhook) => webhook.path === path)

  /** The sender has checked everything that is due: it has sent what was just added. */
  async function look(): Promise<void> {
    const { id } = await store(url, { mailbox: 'other', receivedAt: new Date(clock.now).toISOString() })
    await vi.waitUntil(() => receivedBy('/well').some(({ messageId }) => messageId === id))
  }

  /** The delivery once it has this many attempts. */
  async function afterAttempt(count: number, messageId: string) {
    return vi.waitUntil(async () => {
      const delivery = (await webhooks.deliveries(endpoint.id)).find((each) => each.messageId === messageId)
      return delivery?.attempt === count ? delivery : null
    })
  }

  return {
    clock,
    webhooks,
    endpoint,
    look,
    afterAttempt,
    attempts: () => receivedBy('/troubled'),
    announce: () => store(url, { mailbox: 'orders', receivedAt: new Date(clock.now).toISOString() }),
    endpointNow: async () => (await webhooks.list()).find(({ id }) => id === endpoint.id)!,
  }
}

test('nine attempts, each in its window and never early, then the delivery has failed', async () => {
  const { clock, announce, look, afterAttempt, attempts, endpointNow } = await start(() => ({ status: 500 }))
  const { id } = await announce()
  let delivery = await afterAttempt(1, id)
  for (const [index, seconds] of [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 86_400].entries()) {
    const dueAt = Date.parse(delivery.nextAttemptAt!)
    expect(dueAt - clock.now).toBeGreaterThanOrEqual(seconds * 800)
    expect(dueAt - clock.now).toBeLessThanOrEqual(seconds * 1_200)
    clock.now = dueAt - 1
    await look()
    expect(attempts()).toHaveLength(index + 1)
    clock.now = dueAt
    await look()
    delivery = await afterAttempt(index + 2, id)
    expect(attempts()).toHaveLength(index + 2)
  }
  expect(delivery).toMatchObject({
    status: 'failed',
    attempt: 9,
    nextAttemptAt: null,
    httpStatus: 500,
    error: 'The endpoint responded with 500.',
  })
  // The same event and the same bytes each time, with a new signature.
  expect(new Set(attempts().map((attempt) => attempt.id)).size).toBe(1)
  expect(new Set(attempts().map((attempt) => attempt.body)).size).toBe(1)
  expect(new Set(attempts().map((attempt) => attempt.headers['webhook-signature'])).size).toBe(9)
  expect(await endpointNow()).toMatchObject({ active: true, disabledReason: null })
})

test('a delivery that succeeds is not sent again', async () => {
  let status = 500
  const { clock, announce, look, afterAttempt, attempts } = await start(() => ({ status }))
  const { id } = await announce()
  clock.now = Date.parse((await afterAttempt(1, id)).nextAttemptAt!)
  status = 201
  await look()
  expect(await afterAttempt(2, id)).toMatchObject({ status: 'success', httpStatus: 201, error: null })
  clock.now += 3 * DAY_MS
  await look()
  expect(attempts()).toHaveLength(2)
})

describe('Retry-After', () => {
  test.each([
    { value: '600', waitMs: 600 * SECOND_MS },
    { value: new Date(START + 900 * SECOND_MS).toUTCString(), waitMs: 900 * SECOND_MS },
    { value: '999999', waitMs: DAY_MS },
  ])('with $value, the next attempt waits $waitMs ms', async ({ value, waitMs }) => {
    const answer = { status: 429, headers: { 'retry-after': value } }
    const { clock, announce, look, afterAttempt, attempts } = await start(() => answer)
    const { id } = await announce()
    expect((await afterAttempt(1, id)).nextAttemptAt).toBe(new Date(START + waitMs).toISOString())
    clock.now = START + waitMs - 1
    await look()
    expect(attempts()).toHaveLength(1)
    clock.now = START + waitMs
    await look()
    await afterAttempt(2, id)
    expect(attempts()).toHaveLength(2)
  })
})

test.each([301, 302, 307, 308])('a redirect (%i) is a failure and is not followed', async (status) => {
  const { announce, afterAttempt, attempts, look } = await start(() => ({ status, headers: { location: '/well' } }))
  const { id } = await announce()
  expect(await afterAttempt(1, id)).toMatchObject({
    status: 'pending',
    httpStatus: status,
    error: `The endpoint responded with a redirect (${status}); redirects are not followed.`,
  })
  await look()
  expect(attempts()).toHaveLength(1)
})

test('410 disables the endpoint, and pending deliveries fail', async () => {
  let status = 500
  const { clock, webhooks, endpoint, announce, look, afterAttempt, attempts, endpointNow } = await start(() => ({
    status,
  }))
  const pending = await announce()
  await afterAttempt(1, pending.id)
  status = 410
  const { id } = await announce()
  expect(await afterAttempt(1, id)).toMatchObject({ status: 'failed', httpStatus: 410, nextAttemptAt: null })
  expect(await endpointNow()).toMatchObject({ active: false, disabledReason: 'The endpoint responded with 410 Gone.' })
  // The others follow, a few at a time.
  await expect.poll(() => afterAttempt(1, pending.id)).toMatchObject({ status: 'failed', error: 'endpoint inactive' })

  status = 200
  clock.now += DAY_MS
  await announce()
  await look()
  expect(attempts()).toHaveLength(2)
  expect(await webhooks.deliveries(endpoint.id)).toHaveLength(2)

  // Enabled again, the endpoint receives new events, and failed ones when they are replayed.
  await webhooks.change(endpoint.id, { active: true })
  expect(await endpointNow()).toMatchObject({ active: true, disabledReason: null })
  const [failed] = await webhooks.deliveries(endpoint.id, 'status=failed')
  await webhooks.replay(endpoint.id, failed!.id)
  const later = await announce()
  await afterAttempt(1, later.id)
  await vi.waitUntil(() => attempts().length === 4)
  expect(attempts().filter((attempt) => attempt.messageId === failed!.messageId)).toHaveLength(2)
})

test('five days of only failures disable the endpoint, with a reason in the list', async () => {
  let status = 500
  const { clock, announce, afterAttempt, endpointNow } = await start(() => ({ status }))
  const attemptNow = async () => afterAttempt(1, (await announce()).id)
  await attemptNow()
  clock.now += 4 * DAY_MS
  status = 200
  await attemptNow()
  // A success resets the count.
  status = 500
  clock.now += 2 * DAY_MS
  await attemptNow()
  clock.now += 5 * DAY_MS - 1
  await attemptNow()
  expect(await endpointNow()).toMatchObject({ active: true, disabledReason: null })
  clock.now += 1
  await attemptNow()
  await vi.waitUntil(async () => !(await endpointNow()).active)
  expect(await endpointNow()).toMatchObject({ disabledReason: 'Every attempt of the last five days failed.' })
})

test('a replayed delivery starts over, with the same id', async () => {
  const answers = [410]
  const { webhooks, endpoint, announce, afterAttempt, attempts } = await start(() => ({
    status: answers.shift() ?? 500,
  }))
  const { id } = await announce()
  const failed = await afterAttempt(1, id)
  await webhooks.change(endpoint.id, { active: true })
  expect(await webhooks.replay(endpoint.id, failed.id)).toMatchObject({ id: failed.id, status: 'pending' })
  const again = await afterAttempt(2, id)
  expect(again).toMatchObject({ status: 'pending', httpStatus: 500 })
  expect(Date.parse(again.nextAttemptAt!) - START).toBeLessThanOrEqual(6 * SECOND_MS)
  expect(new Set(attempts().map((attempt) => attempt.id)).size).toBe(1)
})
