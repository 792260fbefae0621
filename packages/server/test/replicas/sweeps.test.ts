import { expect, onTestFinished, test } from 'vitest'
import { startSweep } from '../../src/retention/sweep.ts'
import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { freshDatabase } from '../support/postgres.ts'
import { addMailbox, addTeam, messageFor } from '../../src/store/store-contract.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-05-01T12:00:00Z')
const EXPIRED = 500
const YOUNG = 30
const IN_REMOVED_MAILBOX = 250

test('three concurrent sweeps without turns count and delete everything once', async () => {
  const databaseUrl = await freshDatabase()
  const errors: object[] = []
  const log = { debug() {}, info() {}, warn: () => {}, error: (facts: object) => void errors.push(facts) }
  const open = async () =>
    createSqlStore(await openPostgresDatabase(databaseUrl), { onError: (error) => void errors.push({ error }) })
  const stores = [await open(), await open(), await open()]
  onTestFinished(async () => {
    for (const store of stores) await store.close()
  })
  const [store] = stores as [(typeof stores)[number]]
  const team = await addTeam(store, { plan: 'starter' })
  const kept = await addMailbox(store, team, 'kept')
  const removed = await addMailbox(store, team, 'removed')
  const add = (count: number, mailbox: typeof kept, receivedAt: number) =>
    Promise.all(Array.from({ length: count }, () => store.addMessage(mailbox, messageFor(mailbox, { receivedAt }))))
  await add(EXPIRED, kept, NOW - 30 * DAY_MS)
  await add(YOUNG, kept, NOW)
  await add(IN_REMOVED_MAILBOX, removed, NOW)
  await store.hideMailbox({ teamId: team.id, id: removed.id }, NOW)

  const removals: string[] = []
  const objects = {
    raw: async () => null,
    remove: async (messages: { id: string }[]) => void removals.push(...messages.map(({ id }) => id)),
  }
  const sweeps = stores.map((own) =>
    startSweep({ store: own, objects, log, now: () => NOW, holdsLock: async () => true }, 20),
  )
  const view = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
  await expect.poll(() => store.removedMailboxes()).toEqual([])
  await expect
    .poll(async () => (await store.passingMessages(team.id, { after: 0, limit: 1_000, withContent: false })).length, {
      timeout: 30_000,
    })
    .toBe(YOUNG)
  await Promise.all(sweeps.map((sweep) => sweep.close()))
  expect(await store.countMessages(view)).toBe(YOUNG)
  // One sweep did each task, and the others found it done.
  expect(removals.length).toBe(EXPIRED + IN_REMOVED_MAILBOX)
  expect(new Set(removals).size).toBe(removals.length)
  expect(errors).toEqual([])
})
