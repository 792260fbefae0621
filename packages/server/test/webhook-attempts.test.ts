import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openPeople, refusal } from './support/people.ts'
import { startWebhookJourney } from './support/webhook-journey.ts'

/** The maximum number shown for one delivery. */
const SHOWN_MAX = 100

const { server, start } = await startWebhookJourney()
const people = await openPeople(server)
const { call } = await people.operator()
const { attempts, replay } = call.webhooks

test('each attempt of a delivery is listed with its response, newest first', async () => {
  const answers = [
    { status: 500, body: 'out of order' },
    { status: 200, body: 'thanks' },
  ]
  const { id, mailbox, settled, succeeded, receiver } = await start(() => answers.shift()!)
  await server.store({ mailbox })
  const [delivery] = await settled(1)
  const where = { id, deliveryId: delivery!.id }
  const first = {
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    httpStatus: 500,
    responseBody: 'out of order',
    latencyMs: expect.any(Number),
    error: 'The endpoint responded with 500.',
  }
  const { requestBody, attempts: made } = await attempts.query(where)
  expect(made).toEqual([first])
  // The exact request that the endpoint received.
  expect(requestBody).toBe(receiver.received[0]!.body)
  await replay.mutate(where)
  await succeeded(1)
  const second = { ...first, httpStatus: 200, responseBody: 'thanks', error: null }
  expect(await attempts.query(where)).toEqual({ requestBody, attempts: [second, first] })
})

test('a test event has one attempt, also without a response', async () => {
  const { id, receiver } = await start(() => {
    receiver.hangUp()
    return { status: 200 }
  })
  const { id: deliveryId, error } = await call.webhooks.test.mutate({ id })
  expect(error).toBeTruthy()
  expect(await attempts.query({ id, deliveryId })).toMatchObject({
    attempts: [{ httpStatus: null, responseBody: null, error }],
  })
})

test('attempts of another endpoint or team, or of an unknown delivery, are not found', async () => {
  const own = await start()
  const other = await start()
  const { owner: stranger } = await people.newTeam()
  const { id: deliveryId } = await call.webhooks.test.mutate({ id: own.id })
  expect((await attempts.query({ id: own.id, deliveryId })).attempts).toHaveLength(1)
  const notFound = { status: 404, code: 'not_found', message: 'Not found' }
  for (const where of [
    { id: other.id, deliveryId },
    { id: own.id, deliveryId: randomUUID() },
    { id: own.id, deliveryId: 'nothing' },
    { id: randomUUID(), deliveryId },
  ]) {
    expect(await refusal(attempts.query(where))).toEqual(notFound)
  }
  expect(await refusal(stranger.call.webhooks.attempts.query({ id: own.id, deliveryId }))).toEqual(notFound)
})

test('of very many attempts the newest are listed', async () => {
  let made = 0
  const { id, mailbox, settled, deliveries } = await start(() => ({ status: 200, body: `answer ${++made}` }))
  await server.store({ mailbox })
  const [delivery] = await settled(1)
  const where = { id, deliveryId: delivery!.id }
  const numbers = async () =>
    (await attempts.query(where)).attempts.map(({ responseBody }) => Number(responseBody!.slice(7)))
  const replayTo = async (count: number) => {
    for (let attempt = made; attempt < count; attempt++) {
      await replay.mutate(where)
      await expect
        .poll(async () => (await deliveries())[0], { interval: 20 })
        .toMatchObject({ attempt: attempt + 1, status: 'success' })
    }
  }
  await replayTo(SHOWN_MAX)
  expect(await numbers()).toEqual(Array.from({ length: SHOWN_MAX }, (_, index) => SHOWN_MAX - index))
  await replayTo(SHOWN_MAX + 1)
  expect(await numbers()).toEqual(Array.from({ length: SHOWN_MAX }, (_, index) => SHOWN_MAX + 1 - index))
})
