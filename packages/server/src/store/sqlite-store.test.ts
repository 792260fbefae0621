import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { boundDatabase, whyScanning } from '../../test/support/bound-database.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { searchFor } from './message-query.ts'
import { MESSAGES } from './sql-tables.ts'
import { sql } from './sql.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import type { Database } from './database.ts'
import { createSqlStore } from './sql-store.ts'
import type { Store } from './store.ts'
import { testMatching, whenIndexed } from './matching-contract.ts'
import type { WalkLimits } from './message-walk.ts'
import { describeOutbox } from './outbox-contract.ts'
import { describeAttempts } from './attempt-contract.ts'
import { describeScenarios } from './scenario-contract.ts'
import { addMailbox, addTeam, describeStore, messageFor } from './store-contract.ts'
import { describeTextIndex } from './text-index-contract.ts'

function fail(error: unknown): never {
  throw error
}

/** Small, so that few messages complete a block, and large enough for slices that are lists. */
const BLOCK_SIZE = 64
/** Of the filters of the contract, which runs with all of them. More are in test/random-filters.long.test.ts. */
const SOME = { filters: 20 }

const databases = new WeakMap<Store, Database>()

function openDatabase(): Database {
  return openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
}

async function open(walk?: WalkLimits): Promise<Store> {
  const database = openDatabase()
  const store = createSqlStore(boundDatabase(database), { onError: fail, blockSize: BLOCK_SIZE, ...(walk && { walk }) })
  databases.set(store, database)
  onTestFinished(() => store.close())
  return store
}

const indexed = (store: Store) => whenIndexed(databases.get(store)!, BLOCK_SIZE)

describeStore('SQLite store', open, indexed)

describeOutbox(async () => openDatabase())

describeScenarios(open)

describeAttempts(async () => openDatabase())

describeTextIndex(async () => openDatabase())

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

test.each([
  ['unread', { isUnread: true } as const],
  ['read', { without: [{ filter: {}, words: { isUnread: true } as const }] }],
])('few %s messages are found without checking the others', async (state, words) => {
  const database = openDatabase()
  const read = vi.spyOn(database, 'read')
  const walk = { candidates: [4], narrow: 4, shortRange: 4, newestChecked: 4, marked: 8 }
  const store = createSqlStore(database, { onError: fail, walk })
  onTestFinished(() => store.close())
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  for (let count = 0; count < 100; count++) await store.addMessage(mailbox, messageFor(mailbox))
  if (state === 'unread') await store.markAllRead(team.id, 98)
  await store.markMessages(team.id, [3, 50], state === 'read')
  read.mockClear()
  const view = { teamId: team.id, oldestReceivedAt: 0, filter: {}, words }
  const found = await store.listMessages(view, { limit: 50, before: null })
  const positions = found.map(({ position }) => position).sort((one, other) => one - other)
  expect(positions).toEqual(state === 'unread' ? [3, 50, 99, 100] : [3, 50])
  // Two indexes, the candidates, and their check.
  expect(read).toHaveBeenCalledTimes(4)
})

test('marking all as read also works, and corrects the count, after an older version has left it too high', async () => {
  const store = await open()
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  for (let count = 0; count < 3; count++) await store.addMessage(mailbox, messageFor(mailbox))
  await databases.get(store)!.write(sql`update team_state set read_count = 5 where team_id = ${team.id}`)
  await store.markAllRead(team.id, 2)
  expect(await store.readAmong(team.id, [1, 2, 3])).toEqual([1, 2])
  expect(await store.countUnread({ teamId: team.id, oldestReceivedAt: 0 })).toBe(1)
})

test('a database of a newer Mailhatch is refused with what to do', () => {
  const path = join(temporaryFolder(), 'mailhatch.db')
  const newer = new DatabaseSync(path)
  newer.exec('pragma user_version = 999')
  newer.close()
  expect(() => openSqliteDatabase(path)).toThrow(/schema 999.*supports only.*newer version/s)
})

test.each([
  ['mailbox and tag', { mailbox: { name: 'qa', tag: 'login', domain: null } }, 'messages_by_tag (team_id=? AND tag=?)'],
  ['a bound key and a tag', { mailboxId: 'm', tag: 'login' }, 'messages_by_tag (team_id=? AND tag=?)'],
  ['several tags', { tags: ['a', 'b'] }, 'messages_by_tag (team_id=? AND tag=?)'],
  ['mailbox', { mailbox: { name: 'qa', tag: null, domain: null } }, 'messages_by_mailbox (team_id=? AND mailbox_id=?)'],
  ['nothing', {}, 'messages_by_time (team_id=?)'],
])('the newest message by %s is found through its index', async (_, filter, index) => {
  const database = openDatabase()
  onTestFinished(() => database.close())
  const { where, newestFirst } = searchFor(database.dialect, { teamId: 't', oldestReceivedAt: 0, filter })
  const plan = await database.read<{ detail: string }>(
    sql`explain query plan select * from messages m where ${where} ${newestFirst} limit 1`,
  )
  const steps = plan.map(({ detail }) => detail).join('; ')
  expect(steps).toContain(`SEARCH m USING INDEX ${index}`)
  expect(steps.includes('TEMP B-TREE')).toBe('tags' in filter)
})

test('messages at listed positions are found by their key, also where another index has every column that is read', async () => {
  const database = openDatabase()
  onTestFinished(() => database.close())
  const read = sql`select m.position from ${MESSAGES} where`
  const { isAmong, atPositions } = database.dialect
  const byKey = sql`${read} ${atPositions(sql`m`, 't', [1, 2])}`
  const plan = await database.read<{ detail: string }>(sql`explain query plan ${byKey}`)
  expect(plan.map(({ detail }) => detail)).toContain(
    'SEARCH m USING INDEX sqlite_autoindex_messages_1 (team_id=? AND position=?)',
  )
  expect(await whyScanning(database, byKey)).toBeNull()
  // `boundDatabase` refuses such statements.
  const hidden = sql`${read} +m.team_id = ${'t'} and ${isAmong(sql`+m.position`, [1, 2])}`
  expect(await whyScanning(database, hidden)).toContain('SCAN m')
  const direct = sql`${read} m.team_id = ${'t'} and ${isAmong(sql`m.position`, [1, 2])}`
  expect(await whyScanning(database, direct)).toContain('messages_by_mailbox')
})

test.each([
  { kind: 'long', numbers: 100_000, reads: 20, turnsMin: 19 },
  // A tenth of the turns that they need on a fast machine.
  { kind: 'short', numbers: 5_000, reads: 300, turnsMin: 5 },
])('many concurrent $kind reads yield to other work', async ({ numbers, reads, turnsMin }) => {
  const database = openDatabase()
  onTestFinished(() => database.close())
  const query = sql`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${numbers})
    select count(*) as count from numbers`
  let turns = 0
  let isOver = false
  const count = () => void (isOver || (turns++, setImmediate(count)))
  setImmediate(count)
  const answers = await Promise.all(Array.from({ length: reads }, () => database.read(query)))
  isOver = true
  expect(answers).toEqual(Array.from({ length: reads }, () => [{ count: numbers }]))
  expect(turns).toBeGreaterThanOrEqual(turnsMin)
})
