import { expect, onTestFinished, test, vi } from 'vitest'
import { boundDatabase } from '../../test/support/bound-database.ts'
import { freshDatabase } from '../../test/support/postgres.ts'
import type { Database } from './database.ts'
import { testMatching, whenIndexed } from './matching-contract.ts'
import type { WalkLimits } from './message-walk.ts'
import { describeOutbox } from './outbox-contract.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { assemble, sql } from './sql.ts'
import { createSqlStore } from './sql-store.ts'
import { describeAttempts } from './attempt-contract.ts'
import { describeScenarios } from './scenario-contract.ts'
import { addMailbox, addTeam, describeStore, messageFor } from './store-contract.ts'
import { describeTextIndex } from './text-index-contract.ts'
import type { Store } from './store.ts'

/** Small, so that few messages complete a block, and large enough for slices that are lists. */
const BLOCK_SIZE = 64
/** Of the filters of the contract, which runs with all of them. More are in test/random-filters.long.test.ts. */
const SOME = { filters: 20 }

const databases = new WeakMap<Store, Database>()

function fail(error: unknown): never {
  throw error
}

async function open(walk?: WalkLimits): Promise<Store> {
  const database = await openPostgresDatabase(await freshDatabase())
  const store = createSqlStore(boundDatabase(database), { onError: fail, blockSize: BLOCK_SIZE, ...(walk && { walk }) })
  databases.set(store, database)
  onTestFinished(() => store.close())
  return store
}

const indexed = (store: Store) => whenIndexed(databases.get(store)!, BLOCK_SIZE)

describeStore('PostgreSQL store', open, indexed)

describeOutbox(async () => openPostgresDatabase(await freshDatabase()))

describeScenarios(open)

describeAttempts(async () => openPostgresDatabase(await freshDatabase()))

describeTextIndex(async () => openPostgresDatabase(await freshDatabase()))

testMatching(
  'walked a few at a time',
  () => open({ candidates: [4, 16], narrow: 20, shortRange: 30, newestChecked: 4, marked: 4 }),
  async () => {},
  SOME,
)

testMatching(
  'indexed in part',
  open,
  async (store, teamId) => {
    await indexed(store)
    await databases
      .get(store)!
      .write(sql`update team_state set indexed_through = ${BLOCK_SIZE - 1} where team_id = ${teamId}`)
  },
  SOME,
)

test('indexing and searching read many messages per query, because each query is a round trip', async () => {
  const blockSize = 128
  const database = await openPostgresDatabase(await freshDatabase())
  const read = vi.spyOn(database, 'read')
  const store = createSqlStore(database, { onError: fail, blockSize })
  onTestFinished(() => store.close())
  const mailbox = await addMailbox(store, await addTeam(store), 'qa')
  await Promise.all(
    Array.from({ length: 3 * blockSize }, () => store.addMessage(mailbox, messageFor(mailbox, { text: 'Only hay' }))),
  )
  const state = sql`select indexed_through as through from team_state where team_id = ${mailbox.teamId}`
  await vi.waitFor(async () => expect(await database.read(state)).toEqual([{ through: 3 * blockSize - 1 }]), 10_000)
  const queriesWith = (text: string) =>
    read.mock.calls.map(([query]) => assemble(query)).filter((query) => query.text.includes(text))
  expect(queriesWith('as "headersJson"')).toHaveLength((3 * blockSize) / 64)

  await database.write(sql`update team_state set indexed_through = ${blockSize - 1} where team_id = ${mailbox.teamId}`)
  const view = { teamId: mailbox.teamId, oldestReceivedAt: 0, filter: { text: ['hay'] } }
  expect(await store.listMessages(view, { limit: 50, before: null })).toHaveLength(51)
  // The 257 messages after the first block.
  expect(queriesWith('as "headersJson"')).toHaveLength((3 * blockSize) / 64 + 5)
  const [firstCheck] = queriesWith('= any(')
  const [positions] = firstCheck!.values.filter((value) => String(value).startsWith('{'))
  expect(String(positions).split(',')).toHaveLength(128)
})
