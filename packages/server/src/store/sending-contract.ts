import { describe, expect, test, vi } from 'vitest'
import type { Store } from './store.ts'
import { attemptOf, LIMITS, NOW, startWebhooks, testFor } from './webhook-contract.ts'
import type { EndpointLimits } from './webhooks.ts'

const RETRIED = { outcome: { status: 'pending', afterMs: 60_000 } } as const
const GONE = { outcome: { status: 'failed' }, disableEndpoint: { reason: 'Gone.', failingSince: null } } as const

/** What every store must do for deliveries during and after sending. */
export function describeSending(open: () => Promise<Store>): void {
  const start = () => startWebhooks(open)

  describe('sending', () => {
    test('a leased delivery belongs to one owner until the lease is released', async () => {
      const { store, addEndpoint, deliver, lease, attempts } = await start()
      const { url, secret, id, teamId } = await addEndpoint()
      const [message] = await deliver([id])
      const leased = await lease()
      expect(leased).toEqual([
        {
          id: expect.any(String),
          eventId: message!.eventId,
          body: '{"event":"email.received"}',
          attempt: 0,
          messageId: message!.id,
          createdAt: NOW,
          endpoint: { id, teamId, url, secret, oldSecrets: [], failingSince: null },
        },
      ])
      expect(await lease({ owner: 'other' })).toEqual([])
      await store.releaseDeliveries('nobody')
      expect(await lease({ owner: 'other' })).toEqual([])
      await store.releaseDeliveries('one')
      expect(await lease({ owner: 'other' })).toHaveLength(1)
      expect(await store.finishAttempt('one', attemptOf(leased[0]!))).toBe(false)
      expect(await attempts(leased[0]!)).toEqual([])
      expect(await store.finishAttempt('other', attemptOf(leased[0]!))).toBe(true)
    })

    test('an expired lease is taken over, and its previous owner can no longer finish', async () => {
      const { store, addEndpoint, deliver, lease, list } = await start()
      const { id } = await addEndpoint()
      await deliver([id])
      const [late] = await lease({ leaseMs: 0 })
      expect(late).toBeDefined()
      const [taken] = await lease({ owner: 'other', at: NOW + 1 })
      expect(taken!.id).toBe(late!.id)
      expect(await store.finishAttempt('one', attemptOf(late!, { outcome: { status: 'failed' } }))).toBe(false)
      expect(await list(id)).toMatchObject([{ status: 'pending', attempt: 0 }])
    })

    test('concurrent leases get each delivery once, and never more than an endpoint’s share', async () => {
      const { store, addEndpoint, deliver, lease } = await start()
      const endpoints = [await addEndpoint(), await addEndpoint(), await addEndpoint()]
      await deliver(
        endpoints.map(({ id }) => id),
        12,
      )
      const [, , single] = endpoints
      const owners = Array.from({ length: 6 }, (_, index) => `owner ${index}`)
      const oneAtATime = [single!.id]
      const rounds = await Promise.all(owners.map((owner) => lease({ owner, oneAtATime })))
      const leased = rounds.flat()
      expect(new Set(leased.map(({ id }) => id)).size).toBe(leased.length)
      const counts = endpoints.map(({ id }) => leased.filter(({ endpoint }) => endpoint.id === id).length)
      expect(counts).toEqual([5, 5, 1])
      expect(await lease({ oneAtATime })).toEqual([])
      const [done] = rounds.find((round) => round.length > 0)!
      const owner = owners[rounds.findIndex((round) => round.includes(done!))]!
      expect(await store.finishAttempt(owner, attemptOf(done!))).toBe(true)
      expect(await lease({ oneAtATime })).toMatchObject([{ endpoint: { id: done!.endpoint.id } }])
    })

    test('an endpoint with a long backlog does not delay the others', async () => {
      const { addEndpoint, deliver, lease } = await start()
      const busy = await addEndpoint()
      await deliver([busy.id], 60)
      const quiet = await addEndpoint()
      await deliver([quiet.id])
      const leased = await lease({ limit: 6 })
      expect(leased.filter(({ endpoint }) => endpoint.id === busy.id)).toHaveLength(5)
      expect(leased.filter(({ endpoint }) => endpoint.id === quiet.id)).toHaveLength(1)
      expect(await lease({ limit: 0 })).toEqual([])
    })

    test('an attempt is recorded with its consequences for the delivery and the endpoint', async () => {
      const { store, team, addEndpoint, deliver, lease, list, attempts } = await start()
      const { id } = await addEndpoint()
      const endpoint = () => store.findEndpoint({ teamId: team.id, id })
      await deliver([id])
      const [first] = await lease()
      const failure = { httpStatus: 500, responseBody: 'no', latencyMs: 7, error: 'The endpoint responded with 500.' }
      const again = attemptOf(first!, { ...failure, outcome: { status: 'pending', afterMs: 60_000 } })
      expect(await store.finishAttempt('one', again)).toBe(true)
      const [waiting] = await list(id)
      expect(waiting).toMatchObject({ ...failure, status: 'pending', attempt: 1 })
      expect(waiting!.nextAttemptAt!).toBeGreaterThan(NOW + 55_000)
      expect(waiting!.nextAttemptAt!).toBeLessThan(Date.now() + 65_000)
      expect(await endpoint()).toMatchObject({ failingSince: NOW })
      expect(await lease()).toEqual([])
      await store.replayDelivery({ teamId: team.id, endpointId: id, id: first!.id }, NOW)
      const [second] = await lease()
      expect(second).toMatchObject({ id: first!.id, attempt: 0, endpoint: { failingSince: NOW } })
      expect(await store.finishAttempt('one', { ...again, at: NOW + 5, outcome: { status: 'failed' } })).toBe(true)
      expect(await endpoint()).toMatchObject({ failingSince: NOW })
      expect(await list(id)).toMatchObject([{ status: 'failed', attempt: 2, nextAttemptAt: null }])
      await store.replayDelivery({ teamId: team.id, endpointId: id, id: first!.id }, NOW)
      await lease()
      expect(await store.finishAttempt('one', attemptOf(first!))).toBe(true)
      expect(await endpoint()).toMatchObject({ failingSince: null, isActive: true })
      expect(await list(id)).toMatchObject([{ status: 'success', attempt: 3, error: null, httpStatus: 200 }])
      expect(await store.findDeliveryBody({ teamId: team.id, endpointId: id, id: first!.id })).toBe(first!.body)
      expect(await store.findDeliveryBody({ teamId: team.id, endpointId: 'other', id: first!.id })).toBeNull()
      const log = await attempts(first!)
      expect(log).toMatchObject([{ at: NOW, ...failure }, { at: NOW + 5, ...failure }, { httpStatus: 200 }])
    })

    test('an endpoint disabled by a response loses its pending deliveries, also leased ones', async () => {
      const { store, team, addEndpoint, deliver, lease, list } = await start()
      const [gone, well] = [await addEndpoint(), await addEndpoint()]
      await deliver([gone.id, well.id], 4)
      const mine = (await lease({ limit: 1 }))[0]!
      const theirs = await lease({ owner: 'other' })
      const disabled = mine.endpoint.id
      const record = attemptOf(mine, { ...GONE, httpStatus: 410 })
      expect(await store.finishAttempt('other', record)).toBe(false)
      expect(await store.finishAttempt('one', record)).toBe(true)
      expect(await store.findEndpoint({ teamId: team.id, id: disabled })).toMatchObject({
        isActive: false,
        disabledReason: 'Gone.',
      })
      const states = await list(disabled)
      expect(states.every(({ status, nextAttemptAt }) => status === 'failed' && nextAttemptAt === null)).toBe(true)
      expect(states.filter(({ error }) => error === 'endpoint inactive')).toHaveLength(3)
      const other = disabled === gone.id ? well.id : gone.id
      expect((await list(other)).every(({ status }) => status === 'pending')).toBe(true)
      for (const delivery of theirs)
        expect(await store.finishAttempt('other', attemptOf(delivery))).toBe(delivery.endpoint.id === other)
    })

    test('an endpoint that succeeded meanwhile is not disabled for constant failures', async () => {
      const { store, team, addEndpoint, deliver, lease, list, attempts } = await start()
      const { id } = await addEndpoint()
      await deliver([id], 5)
      const [early] = await lease({ limit: 1 })
      await store.finishAttempt('one', attemptOf(early!, { outcome: { status: 'failed' } }))
      const [well, late, last] = await lease()
      const giveUp = { ...RETRIED, disableEndpoint: { reason: 'Failing.', failingSince: late!.endpoint.failingSince } }
      expect(giveUp.disableEndpoint.failingSince).toBe(NOW)
      await store.finishAttempt('one', attemptOf(well!))
      expect(await store.finishAttempt('one', attemptOf(late!, { ...giveUp, at: NOW + 5 }))).toBe(true)
      const endpoint = () => store.findEndpoint({ teamId: team.id, id })
      expect(await endpoint()).toMatchObject({ isActive: true, failingSince: NOW + 5 })
      expect(await list(id, 'pending')).toHaveLength(3)
      expect(await attempts(late!)).toHaveLength(1)
      // Control: an endpoint that did not succeed is disabled.
      const disableEndpoint = { reason: 'Failing.', failingSince: NOW + 5 }
      await store.finishAttempt('one', attemptOf(last!, { ...giveUp, disableEndpoint }))
      expect(await endpoint()).toMatchObject({ isActive: false, disabledReason: 'Failing.' })
      expect(await list(id, 'pending')).toEqual([])
    })

    test('a response of the old URL does not affect the new one', async () => {
      const { store, team, addEndpoint, deliver, lease, list } = await start()
      const { id } = await addEndpoint()
      await deliver([id], 3)
      const [gone, failing] = await lease({ limit: 2 })
      await store.updateEndpoint({ teamId: team.id, id }, { url: 'https://shop.example/moved' }, NOW)
      expect(await store.finishAttempt('one', attemptOf(gone!, { ...GONE, ...RETRIED }))).toBe(true)
      expect(await store.finishAttempt('one', attemptOf(failing!, RETRIED))).toBe(true)
      const endpoint = () => store.findEndpoint({ teamId: team.id, id })
      expect(await endpoint()).toMatchObject({ isActive: true, failingSince: null })
      expect(await list(id, 'pending')).toHaveLength(3)
      // Control: a response of the new URL does.
      const [moved] = await lease()
      await store.finishAttempt('one', attemptOf(moved!, GONE))
      expect(await endpoint()).toMatchObject({ isActive: false, disabledReason: 'Gone.' })
    })

    test('a delivery that is replayed during an attempt is sent once more', async () => {
      const { store, team, addEndpoint, deliver, lease, list } = await start()
      const { id } = await addEndpoint()
      await deliver([id])
      const [leased] = await lease()
      await store.replayDelivery({ teamId: team.id, endpointId: id, id: leased!.id }, NOW)
      expect(await store.finishAttempt('one', attemptOf(leased!))).toBe(false)
      const [again] = await lease({ owner: 'other' })
      expect(again).toMatchObject({ id: leased!.id, eventId: leased!.eventId })
      expect(await store.finishAttempt('other', attemptOf(again!))).toBe(true)
      expect(await list(id)).toMatchObject([{ status: 'success' }])
    })

    test('disabling fails pending deliveries; enabling resets the endpoint', async () => {
      const { store, team, addEndpoint, deliver, lease, list } = await start()
      const { id } = await addEndpoint()
      const where = { teamId: team.id, id }
      await deliver([id], 2)
      const [leased] = await lease({ limit: 1 })
      await store.finishAttempt('one', attemptOf(leased!, GONE))
      expect(await store.updateEndpoint(where, { isActive: false }, NOW)).toMatchObject({ disabledReason: 'Gone.' })
      expect(await store.replayDelivery({ teamId: team.id, endpointId: id, id: leased!.id }, NOW)).toBeNull()
      expect(await store.replayFailed(where, { at: NOW, limit: 9 })).toBe(0)
      expect(await store.updateEndpoint(where, { isActive: true }, NOW)).toMatchObject({
        isActive: true,
        disabledReason: null,
        failingSince: null,
      })
      await deliver([id])
      await store.updateEndpoint(where, { isActive: false }, NOW)
      expect(await list(id, 'pending')).toEqual([])
      expect((await list(id)).filter(({ error }) => error === 'endpoint inactive')).toHaveLength(2)
    })

    test('the time until the next delivery takes leases and the endpoint’s share into account', async () => {
      const { store, addEndpoint, deliver, lease } = await start()
      const { id } = await addEndpoint()
      const next = (limits: EndpointLimits = LIMITS) => store.nextDueIn({ ...limits, at: NOW })
      const single = { ...LIMITS, oneAtATime: [id] }
      expect(await next()).toBeNull()
      await deliver([id], 2)
      expect(await next()).toBe(0)
      const [first] = await lease({ ...single, leaseMs: 30_000 })
      expect(await next()).toBe(0)
      // No capacity for another one until the lease ends.
      expect(await next(single)).toBeGreaterThan(0)
      expect(await next(single)).toBeLessThanOrEqual(30_000)
      await store.finishAttempt('one', attemptOf(first!, { outcome: { status: 'pending', afterMs: 90_000 } }))
      expect(await next(single)).toBe(0)
      const [second] = await lease(single)
      await store.finishAttempt('one', attemptOf(second!))
      const left = await next(single)
      expect(left).toBeGreaterThan(60_000)
      expect(left).toBeLessThanOrEqual(90_000)
    })
  })

  describe('how long the first delivery has been due', () => {
    test('is known until it is leased', async () => {
      const { store, addEndpoint, deliver, lease } = await start()
      const { id } = await addEndpoint()
      expect(await store.dueFor(Date.now())).toBe(0)
      await deliver([id])
      await vi.waitFor(async () => expect(await store.dueFor(Date.now())).toBeGreaterThan(0))
      await lease({ leaseMs: 600_000 })
      expect(await store.dueFor(Date.now())).toBe(0)
    })
  })

  describe('after sending', () => {
    test('all failed deliveries are replayed in steps, except tests', async () => {
      const { store, team, addEndpoint, deliver, lease, list, attempts } = await start()
      const { id } = await addEndpoint()
      await deliver([id], 3)
      for (const leased of await lease())
        await store.finishAttempt('one', attemptOf(leased, { outcome: { status: 'failed' } }))
      const test = await store.addTestDelivery(testFor({ teamId: team.id, id }))
      expect(test).toMatchObject({ status: 'failed', messageId: null, attempt: 1, httpStatus: 500 })
      expect(await attempts(test!)).toMatchObject([{ httpStatus: 500 }])
      const where = { teamId: team.id, id }
      expect(await store.replayFailed(where, { at: NOW - 1, limit: 9 })).toBe(0)
      expect(await store.replayFailed(where, { at: NOW, limit: 2 })).toBe(2)
      expect(await store.replayFailed(where, { at: NOW, limit: 2 })).toBe(1)
      expect(await store.replayFailed(where, { at: NOW, limit: 2 })).toBe(0)
      // The age of a replay says nothing about the sender.
      expect((await lease()).map(({ createdAt }) => createdAt)).toEqual([null, null, null])
      expect(await list(id, 'failed')).toEqual([test])
      await store.hideEndpoint({ teamId: team.id, id }, NOW)
      expect(await store.addTestDelivery(testFor({ teamId: team.id, id }))).toBeNull()
    })

    test('old deliveries are forgotten, and old attempts of replayed ones', async () => {
      const { store, team, addEndpoint, deliver, lease, list, attempts } = await start()
      const { id } = await addEndpoint()
      await deliver([id], 4)
      const leased = await lease()
      for (const delivery of leased.slice(0, 3)) await store.finishAttempt('one', attemptOf(delivery))
      const [, , replayed] = leased
      await store.replayDelivery({ teamId: team.id, endpointId: id, id: replayed!.id }, NOW)
      expect(await store.forgetDeliveries({ teamId: team.id, id }, { before: NOW, limit: 9 })).toBe(0)
      expect(await attempts(replayed!)).toHaveLength(1)
      expect(await store.forgetDeliveries({ teamId: team.id, id }, { before: NOW + 1, limit: 1 })).toBe(1)
      expect(await store.forgetDeliveries({ teamId: team.id, id }, { before: NOW + 1, limit: 9 })).toBe(1)
      expect(await list(id)).toHaveLength(2)
      expect(await list(id, 'pending')).toHaveLength(2)
      expect(await attempts(replayed!)).toEqual([])
      expect(await attempts(leased[0]!)).toEqual([])
    })

    test('in a backlog that is too long, the oldest deliveries fail', async () => {
      const { store, team, addEndpoint, deliver, list } = await start()
      const { id } = await addEndpoint()
      const messages = []
      for (let count = 0; count < 5; count++) messages.push(...(await deliver([id])))
      expect(await store.failBacklog({ teamId: team.id, id }, { kept: 5, limit: 9, at: NOW })).toBe(0)
      expect(await store.failBacklog({ teamId: team.id, id }, { kept: 2, limit: 1, at: NOW })).toBe(1)
      expect(await store.failBacklog({ teamId: team.id, id }, { kept: 2, limit: 9, at: NOW })).toBe(2)
      const failed = await list(id, 'failed')
      expect(failed.map(({ messageId }) => messageId).sort()).toEqual(messages.slice(0, 3).map((message) => message.id))
      expect(failed[0]).toMatchObject({ error: 'too many deliveries were waiting', nextAttemptAt: null })
      expect(await list(id, 'pending')).toHaveLength(2)
      expect(await store.endpointIds(team.id)).toContain(id)
    })

    test('in a backlog that is too long, leased deliveries do not fail', async () => {
      const { store, team, addEndpoint, deliver, lease, list } = await start()
      const { id } = await addEndpoint()
      await deliver([id], 5)
      const leased = await lease({ limit: 2 })
      expect(await store.failBacklog({ teamId: team.id, id }, { kept: 1, limit: 9, at: NOW })).toBe(3)
      expect((await list(id, 'pending')).map((delivery) => delivery.id).sort()).toEqual(
        leased.map((one) => one.id).sort(),
      )
      for (const delivery of leased) expect(await store.finishAttempt('one', attemptOf(delivery))).toBe(true)
    })

    test('delivered and failed events are counted per team and time range', async () => {
      const { store, team, addEndpoint, deliver, lease } = await start()
      const other = await startWebhooks(async () => store)
      const { id } = await addEndpoint()
      await deliver([id], 4)
      await deliver([(await other.addEndpoint()).id])
      const leased = (await lease()).filter(({ endpoint }) => endpoint.teamId === team.id)
      const outcomes = ['success', 'success', 'failed'] as const
      for (const [index, status] of outcomes.entries()) {
        expect(await store.finishAttempt('one', attemptOf(leased[index]!, { outcome: { status } }))).toBe(true)
      }
      const count = (from: number, to: number, teamId = team.id) => store.countDeliveries(teamId, { from, to })
      expect(await count(NOW, NOW + 1)).toEqual({ delivered: 2, failed: 1 })
      expect(await count(NOW - 1, NOW)).toEqual({ delivered: 0, failed: 0 })
      expect(await count(NOW + 1, NOW + 2)).toEqual({ delivered: 0, failed: 0 })
      expect(await count(NOW, NOW + 1, other.team.id)).toEqual({ delivered: 0, failed: 0 })
    })
  })
}
