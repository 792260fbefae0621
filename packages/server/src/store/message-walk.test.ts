import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { expectShortHolds } from '../../test/support/search-holds.ts'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { createSqlStore } from './sql-store.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { addMailbox, addTeam, messageFor } from './store-contract.ts'
import type { Store } from './store.ts'

function openStore() {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  const read = vi.spyOn(database, 'read')
  const walk = { candidates: [4], narrow: 4, shortRange: 4, newestChecked: 4, marked: 4 }
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)), walk })
  onTestFinished(() => store.close())
  return { store, read }
}

async function teamOf(store: Store, count: number) {
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  const add = (subject: string) =>
    store.addMessage(mailbox, messageFor(mailbox, { subject, receivedAt: Date.parse('2026-05-01') + (made++ % 50) }))
  let made = 0
  await Promise.all(Array.from({ length: count }, (_, index) => add(`z${index}`)))
  return { view: { teamId: team.id, oldestReceivedAt: 0, filter: { subject: ['z'] } }, add }
}

// The long form has 200,000 messages and more searches.
test('no filter blocks the event loop, not even a short one', async () => {
  const holdMsMax = (unboundedMs: number) => unboundedMs / 2
  await expectShortHolds({ messages: 15_000, searches: 25, seed: 20261116, holdMsMax })
})

test.each([1, 2])(
  'messages that stay are found exactly once while others are added and deleted (seed %i)',
  async (seed) => {
    const { store } = openStore()
    const { view, add } = await teamOf(store, 200)
    const random = seededRandom(seed)
    const leaving = Array.from({ length: 60 }, () => 1 + random.below(200))
    let isOver = false

    async function disturb(): Promise<void> {
      while (!isOver) {
        await (random.chance(0.5) ? add('z later') : store.removeMessages(view.teamId, leaving.splice(0, 2), 0))
        await nextTurn()
      }
    }

    const staying = Array.from({ length: 200 }, (_, index) => index + 1).filter((one) => !leaving.includes(one))
    const disturbing = disturb()
    for (let round = 0; round < 10; round++) {
      const listed = await store.listMessages(view, { limit: 10_000, before: null })
      const followed = await store.followMessages(view, { after: 0, upTo: 10_000, limit: 10_000 })
      for (const found of [listed, followed]) {
        const positions = found.map(({ position }) => position)
        expect(new Set(positions).size).toBe(positions.length)
        expect(positions.filter((position) => staying.includes(position)).sort((a, b) => a - b)).toEqual(staying)
      }
      const sorted = listed.toSorted((a, b) => b.receivedAt - a.receivedAt || b.position - a.position)
      expect(listed).toEqual(sorted)
    }
    isOver = true
    await disturbing
  },
)

test('a search ends when its client has disconnected', async () => {
  const { store, read } = openStore()
  const { view } = await teamOf(store, 100)
  let steps = 0
  const stop = () => {
    if (++steps > 3) throw new Error('gone')
  }
  const filter = { subject: ['zz'] }
  read.mockClear()
  expect(await store.listMessages({ ...view, filter }, { limit: 50, before: null })).toEqual([])
  const whole = read.mock.calls.length
  read.mockClear()
  const leaving = store.listMessages({ ...view, filter, proceed: stop }, { limit: 50, before: null })
  await expect(leaving).rejects.toThrow('gone')
  expect(read.mock.calls.length).toBeLessThan(whole / 2)
})
