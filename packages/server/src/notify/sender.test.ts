import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { createSqlStore } from '../store/sql-store.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import { addMailbox, addTeam, messageFor, newId } from '../store/store-contract.ts'
import { testFor } from '../store/webhook-contract.ts'
import type { SendAttempt, AttemptResult } from './attempt.ts'
import { SENDER_LIMITS, startSender, type EndedDelivery, type WebhookSenderLimits } from './sender.ts'

const TAKEN: AttemptResult = { httpStatus: 200, responseBody: '', latencyMs: 1, error: null, retryAfterMs: null }
const REFUSED: AttemptResult = { ...TAKEN, httpStatus: 500, error: 'The endpoint responded with 500.' }

/** Generous, for a machine that is busy with other tests. */
const until = (isTrue: () => boolean | Promise<boolean>) => vi.waitUntil(isTrue)

/** A store with one team, helpers to fill its outbox, and senders whose attempts the test controls. */
async function start() {
  const store = createSqlStore(openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db')), {
    onError(error) {
      throw error
    },
  })
  onTestFinished(() => store.close())
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  const logged: string[] = []
  const ended: EndedDelivery[] = []
  const failed: object[] = []
  const log = {
    info: (facts: object) => void failed.push(facts),
    warn: (_: object, message: string) => logged.push(message),
  }

  async function addEndpoint(): Promise<string> {
    const id = newId()
    const url = `https://${id}.example`
    const plain = { description: null, mailbox: null, tag: null, secretMasked: 'whsec_…', secret: 'sealed' }
    const endpoint = await store.addEndpoint({ id, teamId: team.id, url, ...plain, createdAt: Date.now() }, 1_000)
    expect(endpoint).toMatchObject({ id })
    return id
  }

  /** One message with a delivery for each; returns the event's id. */
  async function addEvent(...endpointIds: string[]): Promise<string> {
    const id = newId()
    const deliveries = endpointIds.map((endpointId) => ({ id: newId(), endpointId }))
    const message = messageFor(mailbox, { storedAt: Date.now() })
    await store.addMessage(mailbox, message, { id, body: '{}', deliveries })
    return id
  }

  function startSending(attempt: SendAttempt, changes: Partial<WebhookSenderLimits> = {}, outbox = store) {
    const sender = startSender({
      store: outbox,
      attempt,
      owner: 'alone',
      delaysMs: [0, 0, 0, 60_000],
      random: () => 0,
      onEnd: (delivery) => ended.push(delivery),
      now: Date.now,
      log,
      limits: { ...SENDER_LIMITS, ...changes },
    })
    onTestFinished(() => sender.close())
    return sender
  }

  const statuses = async (endpointId: string) =>
    (await store.listDeliveries({ teamId: team.id, id: endpointId }, { limit: 100, offset: 0, status: null })).map(
      ({ status }) => status,
    )
  return { store, team, addEndpoint, addEvent, startSending, statuses, logged, failed, ended }
}

/** Attempts that wait until they are released. */
function heldAttempts() {
  const held: { endpointId: string; eventId: string; letGo: (result: AttemptResult) => void }[] = []
  const attempt: SendAttempt = (endpoint, { eventId }) =>
    new Promise((letGo) => held.push({ endpointId: endpoint.id, eventId, letGo }))
  return { held, attempt }
}

test('a wake-up sends due deliveries at once and records the attempts', async () => {
  const { addEndpoint, addEvent, startSending, statuses } = await start()
  const endpointId = await addEndpoint()
  const sent: string[] = []
  const sender = startSending(
    async (_, { eventId }) => {
      sent.push(eventId)
      return TAKEN
    },
    { pollMs: 60_000 },
  )
  const eventId = await addEvent(endpointId)
  sender.wake()
  await until(async () => (await statuses(endpointId)).join() === 'success')
  expect(sent).toEqual([eventId])
})

test('a delivery is reported once it ends, with its age unless it is replayed', async () => {
  const { store, team, addEndpoint, addEvent, startSending, ended } = await start()
  const endpointId = await addEndpoint()
  const where = { teamId: team.id, id: endpointId }
  const results = [REFUSED, TAKEN, TAKEN]
  startSending(async () => results.shift()!, { pollMs: 20 })
  await addEvent(endpointId)
  await until(() => ended.length === 1)
  expect(results).toHaveLength(1)
  expect(ended).toEqual([{ outcome: 'delivered', ageMs: expect.any(Number) }])
  const [delivery] = await store.listDeliveries(where, { limit: 1, offset: 0, status: null })
  await store.replayDelivery({ teamId: team.id, endpointId, id: delivery!.id }, Date.now())
  await until(() => ended.length === 2)
  expect(ended[1]).toEqual({ outcome: 'delivered', ageMs: null })
})

test('the log says why an attempt failed', async () => {
  const { addEndpoint, addEvent, startSending, failed } = await start()
  const error = 'The host name of the endpoint could not be resolved.'
  startSending(async () => ({ ...TAKEN, httpStatus: null, error }), { pollMs: 20 })
  await addEvent(await addEndpoint())
  await until(() => failed.length > 0)
  expect(failed[0]).toMatchObject({ status: null, attempt: 1, reason: error })
})

test('a delivery without a wake-up is found at the next poll', async () => {
  const { addEndpoint, addEvent, startSending, statuses } = await start()
  const endpointId = await addEndpoint()
  startSending(async () => TAKEN, { pollMs: 20 })
  await addEvent(endpointId)
  await until(async () => (await statuses(endpointId)).join() === 'success')
})

test('an endpoint has five attempts at once, and the next when one ends', async () => {
  const { addEndpoint, addEvent, startSending, statuses } = await start()
  const [slow, quick] = [await addEndpoint(), await addEndpoint()]
  const { held, attempt } = heldAttempts()
  for (let number = 1; number <= 8; number++) await addEvent(slow)
  const sender = startSending(async (endpoint, event) => (endpoint.id === slow ? attempt(endpoint, event) : TAKEN))
  await until(() => held.length === 5)
  // The sender has polled again, and others continue.
  await addEvent(quick)
  sender.wake()
  await until(async () => (await statuses(quick)).join() === 'success')
  expect(held).toHaveLength(5)
  held[0]!.letGo(TAKEN)
  await until(() => held.length === 6)
  for (const { letGo } of held) letGo(TAKEN)
  await until(() => held.length === 8)
  for (const { letGo } of held) letGo(TAKEN)
  await until(async () => (await statuses(slow)).every((status) => status === 'success'))
})

test('the total number of concurrent attempts is limited', async () => {
  const { addEndpoint, addEvent, startSending } = await start()
  const endpointIds = await Promise.all(Array.from({ length: 5 }, addEndpoint))
  const { held, attempt } = heldAttempts()
  await addEvent(...endpointIds)
  await addEvent(...endpointIds)
  const sender = startSending(attempt, { inFlight: 7, pollMs: 10 })
  await until(() => held.length >= 7)
  held[0]!.letGo(TAKEN)
  await until(() => held.length === 8)
  sender.stop()
  for (const { letGo } of held) letGo(TAKEN)
  await sender.close()
  expect(held).toHaveLength(8)
})

test('after five failures in a row an endpoint gets one attempt at a time, until one succeeds', async () => {
  const { addEndpoint, addEvent, startSending } = await start()
  const endpointId = await addEndpoint()
  const { held, attempt } = heldAttempts()
  for (let number = 1; number <= 12; number++) await addEvent(endpointId)
  startSending(attempt, { pollMs: 10 })
  await until(() => held.length === 5)
  for (const { letGo } of held) letGo(REFUSED)
  // One after another, although twelve are due.
  for (let number = 6; number <= 9; number++) {
    await until(() => held.length >= number)
    expect(held).toHaveLength(number)
    held[number - 1]!.letGo(number === 9 ? TAKEN : REFUSED)
  }
  await until(() => held.length >= 14)
  expect(held).toHaveLength(14)
  for (const { letGo } of held) letGo(TAKEN)
})

test('many hanging endpoints leave capacity for a healthy one', async () => {
  const { addEndpoint, addEvent, startSending, statuses } = await start()
  const hanging = await Promise.all(Array.from({ length: 4 }, addEndpoint))
  const healthy = await addEndpoint()
  const { held, attempt } = heldAttempts()
  const sender = startSending(async (endpoint, event) => (endpoint.id === healthy ? TAKEN : attempt(endpoint, event)), {
    inFlight: 4,
    probes: 3,
    pollMs: 10,
  })
  await addEvent(...hanging)
  await until(() => held.length === 4)
  // An overloaded endpoint gets one delivery at a time from then on, and all four are due again.
  for (const { letGo } of held) letGo({ ...REFUSED, httpStatus: 503 })
  await until(() => held.length === 7)
  await addEvent(healthy)
  sender.wake()
  await until(async () => (await statuses(healthy)).join() === 'success')
  expect(held).toHaveLength(7)
  for (const { letGo } of held) letGo(TAKEN)
})

test('while the database is unavailable the sender waits, and logs it once', async () => {
  const { store, addEndpoint, addEvent, startSending, statuses, logged } = await start()
  const endpointId = await addEndpoint()
  let isAway = false
  let refusals = 0
  const whileThere =
    <Given extends unknown[], Result>(ask: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (isAway) refusals++
      if (isAway) throw new Error('the database is away')
      return ask(...given)
    }
  const { held, attempt } = heldAttempts()
  const outbox = {
    ...store,
    nextDueIn: whileThere(store.nextDueIn),
    leaseDeliveries: whileThere(store.leaseDeliveries),
    finishAttempt: whileThere(store.finishAttempt),
  }
  startSending(attempt, { pollMs: 10 }, outbox)
  await addEvent(endpointId)
  await until(() => held.length === 1)
  isAway = true
  held[0]!.letGo(TAKEN)
  await until(() => refusals > 5)
  expect(await statuses(endpointId)).toEqual(['pending'])
  expect(logged).toEqual(['webhooks are paused because the outbox cannot be read'])
  isAway = false
  await until(async () => (await statuses(endpointId)).join() === 'success')
  // Events that had been sent were not sent again.
  expect(held).toHaveLength(1)
})

test('closing completes attempts, starts no new ones, and releases those that take too long', async () => {
  const { addEndpoint, addEvent, startSending, statuses } = await start()
  const [ending, hanging] = [await addEndpoint(), await addEndpoint()]
  const { held, attempt } = heldAttempts()
  const endingEvent = await addEvent(ending)
  const hangingEvent = await addEvent(hanging)
  const sender = startSending(attempt, { closingMs: 100 })
  await until(() => held.length === 2)
  sender.stop()
  const later = await addEvent(ending)
  sender.wake()
  held.find(({ eventId }) => eventId === endingEvent)!.letGo(TAKEN)
  await until(async () => (await statuses(ending)).includes('success'))
  await sender.close()
  expect((await statuses(ending)).sort()).toEqual(['pending', 'success'])
  expect(held.map(({ eventId }) => eventId).sort()).toEqual([endingEvent, hangingEvent].sort())

  // The next one need not wait for a lease to end.
  const sent: string[] = []
  startSending(async (_, { eventId }) => {
    sent.push(eventId)
    return TAKEN
  })
  await until(() => sent.length === 2)
  expect(sent.sort()).toEqual([hangingEvent, later].sort())
})

test('deliveries leased by a killed process of the same name are sent at the next start', async () => {
  const { store, addEndpoint, addEvent, startSending } = await start()
  const endpointId = await addEndpoint()
  const eventId = await addEvent(endpointId)
  const limits = { perEndpoint: 5, oneAtATime: [], leaseMs: 60_000, limit: 10 }
  expect(await store.leaseDeliveries({ ...limits, owner: 'alone', at: Date.now() })).toHaveLength(1)
  const sent: string[] = []
  startSending(async (_, event) => {
    sent.push(event.eventId)
    return TAKEN
  })
  await until(() => sent.length === 1)
  expect(sent).toEqual([eventId])
})

test('closing does not wait forever for an unresponsive database', async () => {
  const { store, startSending } = await start()
  let asked = 0
  const silent = () => new Promise<never>(() => asked++)
  const outbox = { ...store, nextDueIn: silent }
  const sender = startSending(async () => TAKEN, { closingMs: 50 }, outbox)
  await until(() => asked === 1)
  outbox.releaseDeliveries = silent
  await sender.close()
  expect(asked).toBe(2)
})

test('a test that is replayed is sent once', async () => {
  const { store, team, addEndpoint, startSending, statuses } = await start()
  const endpointId = await addEndpoint()
  const test = (await store.addTestDelivery(testFor({ teamId: team.id, id: endpointId })))!
  await store.replayDelivery({ teamId: team.id, endpointId, id: test.id }, Date.now())
  let sent = 0
  startSending(
    async () => {
      sent++
      return REFUSED
    },
    { pollMs: 10 },
  )
  await until(async () => (await statuses(endpointId)).join() === 'failed')
  expect(sent).toBe(1)
})
