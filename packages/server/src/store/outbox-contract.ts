import { describe, expect, onTestFinished, test } from 'vitest'
import { boundDatabase } from '../../test/support/bound-database.ts'
import type { Database } from './database.ts'
import { leaveToChance } from './random-outbox-contract.ts'
import { createSqlStore } from './sql-store.ts'
import { sql } from './sql.ts'
import type { Store } from './store.ts'
import { attemptOf, LIMITS, NOW, startWebhooks } from './webhook-contract.ts'
import type { EndpointKey } from './webhooks.ts'

/** More than the outbox reads at once. */
const MANY_TEAMS = 55

/** What every store must do so that each pending delivery is found through the outbox. */
export function describeOutbox(open: () => Promise<Database>): void {
  /** With a clock that the test sets, and a database that can fail. */
  async function start() {
    // Without the call that stores messages, which has its own clock.
    const { storeMessage: _, ...real } = await open()
    const clock = { now: NOW }
    const power = { transactionsLeft: Infinity, beforeTransaction: async () => {} }
    const running = new Set<Promise<unknown>>()
    const database: Database = {
      ...real,
      // The type, because PostgreSQL adds to it.
      dialect: { ...real.dialect, now: (at) => sql`cast(${at} as bigint)` },
      async writeFor(teamId, ...statements) {
        await power.beforeTransaction()
        if (power.transactionsLeft-- <= 0) throw new Error('the power is gone')
        const transaction = real.writeFor(teamId, ...statements)
        running.add(transaction)
        return transaction.finally(() => running.delete(transaction))
      },
    }
    /** After a crash, transactions for other teams may still be running. */
    const allWritten = () => Promise.allSettled(running)
    const store = createSqlStore(boundDatabase(database), {
      onError(error) {
        throw error
      },
    })
    onTestFinished(() => store.close())
    const outbox = () =>
      database.read<{ teamId: string; dueAt: number }>(
        sql`select team_id as "teamId", due_at as "dueAt" from outboxes order by team_id`,
      )
    const addTeam = () => startWebhooks(async () => store)
    return { store, database, clock, power, allWritten, outbox, addTeam }
  }

  describe('outbox', () => {
    // Fixed seeds, because the store contract runs on both databases and must do the same there.
    test.each([1, 2, 3])(
      'after random operations and crashes, nothing pending is missing, and all of it can be sent (seed %i)',
      async (seed) => {
        await leaveToChance(await start(), { seed, steps: 200 })
      },
    )

    test('a team is in the outbox from its first pending delivery to its last', async () => {
      const { store, outbox, addTeam } = await start()
      const { team, addEndpoint, deliver, lease } = await addTeam()
      const { id } = await addEndpoint()
      expect(await outbox()).toEqual([])
      await deliver([id])
      expect(await outbox()).toEqual([{ teamId: team.id, dueAt: NOW }])
      const [first] = await lease({ leaseMs: 30_000 })
      expect(await outbox()).toEqual([{ teamId: team.id, dueAt: NOW + 30_000 }])
      await store.finishAttempt('one', attemptOf(first!, { outcome: { status: 'pending', afterMs: 90_000 } }))
      expect(await outbox()).toEqual([{ teamId: team.id, dueAt: NOW + 90_000 }])
      const [second] = await lease({ at: NOW + 90_000 })
      await store.finishAttempt('one', attemptOf(second!))
      expect(await outbox()).toEqual([])
      expect(await store.nextDueIn({ ...LIMITS, at: NOW })).toBeNull()
    })

    test.each([
      ['deleted', (store: Store, where: EndpointKey) => store.hideEndpoint(where, NOW)],
      ['disabled', (store: Store, where: EndpointKey) => store.updateEndpoint(where, { isActive: false }, NOW)],
    ])('a team leaves the outbox when its endpoint is %s', async (_, end) => {
      const { store, outbox, addTeam } = await start()
      const [team, other] = [await addTeam(), await addTeam()]
      const endpoint = await team.addEndpoint()
      await team.deliver([endpoint.id], 2)
      await team.lease({ limit: 1 })
      await other.deliver([(await other.addEndpoint()).id])
      await end(store, endpoint)
      expect(await outbox()).toEqual([{ teamId: other.team.id, dueAt: NOW }])
    })

    test('a message that is announced again puts nothing into the outbox', async () => {
      const { store, outbox, addTeam } = await start()
      const { mailbox, addEndpoint, deliver, lease } = await addTeam()
      const { id } = await addEndpoint()
      const [message] = await deliver([id])
      for (const delivery of await lease()) await store.finishAttempt('one', attemptOf(delivery))
      const event = { id: message!.eventId, body: '{}', deliveries: [{ id: 'another', endpointId: id }] }
      expect(await store.addMessage(mailbox, message!, event)).toBe('duplicate')
      expect(await outbox()).toEqual([])
    })

    test('an endpoint that is disabled and enabled concurrently is sent to', async () => {
      const { store, power, outbox, addTeam } = await start()
      const { team, addEndpoint, deliver, lease } = await addTeam()
      const { id } = await addEndpoint()
      await deliver([id])
      const where = { teamId: team.id, id }
      let transactions = 0
      power.beforeTransaction = async () => {
        // After the check for work that a crash left, and before the change.
        if (++transactions !== 2) return
        power.transactionsLeft = 1
        await expect(store.updateEndpoint(where, { isActive: false }, NOW)).rejects.toThrow('the power is gone')
        power.transactionsLeft = Infinity
        expect(await outbox()).toEqual([])
      }
      await store.updateEndpoint(where, { isActive: true }, NOW)
      expect(await lease()).toHaveLength(1)
    })

    test('many teams that cannot be sent to now do not delay another', async () => {
      const { store, addTeam } = await start()
      const oneAtATime: string[] = []
      for (let count = 0; count < MANY_TEAMS; count++) {
        const { addEndpoint, deliver } = await addTeam()
        const { id } = await addEndpoint()
        await deliver([id], 2)
        oneAtATime.push(id)
      }
      const { addEndpoint, deliver, lease } = await addTeam()
      expect(await lease({ oneAtATime, limit: 100 })).toHaveLength(MANY_TEAMS)
      const limits = { ...LIMITS, oneAtATime }
      expect(await store.nextDueIn({ ...limits, at: NOW })).toBe(60_000)
      // Other processes may know nothing of the failures.
      expect(await store.nextDueIn({ ...LIMITS, at: NOW })).toBe(0)
      const { id } = await addEndpoint()
      await deliver([id])
      expect(await store.nextDueIn({ ...limits, at: NOW })).toBe(0)
      expect(await lease({ oneAtATime, limit: 100, probes: 0 })).toMatchObject([{ endpoint: { id } }])
    })

    test('what was leased for one team is sent, also if the transaction of another fails', async () => {
      const { power, addTeam } = await start()
      const [team, other] = [await addTeam(), await addTeam()]
      for (const { addEndpoint, deliver } of [team, other]) await deliver([(await addEndpoint()).id])
      power.transactionsLeft = 1
      const [leased, ...none] = await team.lease()
      expect(none).toEqual([])
      await expect(team.lease()).rejects.toThrow('the power is gone')
      power.transactionsLeft = Infinity
      const [later] = await team.lease()
      expect([leased, later].map((one) => one!.endpoint.teamId).sort()).toEqual([team.team.id, other.team.id].sort())
    })

    test('healthy endpoints of any team come before failing ones', async () => {
      const { addTeam } = await start()
      const [failing, healthy] = [await addTeam(), await addTeam()]
      const first = await failing.addEndpoint()
      await failing.deliver([first.id])
      const second = await healthy.addEndpoint()
      await healthy.deliver([second.id])
      const leased = await healthy.lease({ oneAtATime: [first.id], limit: 1 })
      expect(leased).toMatchObject([{ endpoint: { id: second.id } }])
    })

    test('an entry without a pending delivery is removed when it is due', async () => {
      const { database, outbox, addTeam } = await start()
      const { team, lease } = await addTeam()
      await database.write(sql`insert into outboxes (team_id, due_at) values (${team.id}, ${NOW})`)
      expect(await lease({ at: NOW - 1 })).toEqual([])
      expect(await outbox()).toHaveLength(1)
      expect(await lease()).toEqual([])
      expect(await outbox()).toEqual([])
    })
  })
}
