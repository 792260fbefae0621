import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { searchFor } from './message-query.ts'
import { sql } from './sql.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import type { Database } from './database.ts'
import { createSqlStore } from './sql-store.ts'
import type { Store } from './store.ts'
import { addMailbox, addTeam, describeStore, messageFor } from './store-contract.ts'

function fail(error: unknown): never {
  throw error
}

const databases = new WeakMap<Store, Database>()

async function open(): Promise<Store> {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'), fail)
  const store = createSqlStore(database)
  databases.set(store, database)
  onTestFinished(() => store.close())
  return store
}

/** Resolves when every message is in the text index. */
async function whenIndexed(store: Store): Promise<void> {
  const left = sql`select count(*) as count from messages where sequence > (select indexed_through from trigram_progress)`
  await vi.waitFor(async () => expect(await databases.get(store)!.read(left)).toMatchObject([{ count: 0 }]))
}

describeStore('SQLite store', open, whenIndexed)

test('a database of a newer Mailhatch is refused with what to do', () => {
  const path = join(temporaryFolder(), 'mailhatch.db')
  const newer = new DatabaseSync(path)
  newer.exec('pragma user_version = 999')
  newer.close()
  expect(() => openSqliteDatabase(path, fail)).toThrow(/schema 999.*knows only.*newer version/s)
})

test('a text filter alone is answered by the trigram index', async () => {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'), fail)
  onTestFinished(() => database.close())
  const condition = database.dialect.mayContain('hello')!
  const plan = await database.read<{ detail: string }>(
    sql`explain query plan select * from messages m where ${condition}`,
  )
  const steps = plan.map(({ detail }) => detail).join('; ')
  expect(steps).toContain('VIRTUAL TABLE INDEX')
  expect(steps).not.toMatch(/SCAN m\b/)
  expect(database.dialect.mayContain('he')).toBeNull()
})

test.each([
  ['mailbox and tag', { mailbox: { name: 'qa', tag: 'login', domain: null } }, 'messages_by_tag (team_id=? AND tag=?)'],
  ['a bound key and a tag', { mailboxId: 'm', tag: 'login' }, 'messages_by_tag (team_id=? AND tag=?)'],
  ['several tags', { tags: ['a', 'b'] }, 'messages_by_tag (team_id=? AND tag=?)'],
  ['mailbox', { mailbox: { name: 'qa', tag: null, domain: null } }, 'messages_by_mailbox (mailbox_id=?)'],
  ['nothing', {}, 'messages_by_time (team_id=?)'],
])('the newest message by %s is found through its index', async (_, filter, index) => {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'), fail)
  onTestFinished(() => database.close())
  const { where, newestFirst } = searchFor(database.dialect, { teamId: 't', oldestReceivedAt: 0, filter })
  const plan = await database.read<{ detail: string }>(
    sql`explain query plan select * from messages m where ${where} ${newestFirst} limit 1`,
  )
  const steps = plan.map(({ detail }) => detail).join('; ')
  expect(steps).toContain(`SEARCH m USING INDEX ${index}`)
  expect(steps.includes('TEMP B-TREE')).toBe('tags' in filter)
})

test('a message is found by its text before it is indexed, and after', async () => {
  const store = await open()
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  const view = { teamId: team.id, oldestReceivedAt: 0, filter: { subject: ['needle'] } }
  const find = async () => (await store.listMessages(view, { limit: 10, before: null })).map(({ position }) => position)

  await store.addMessage(mailbox, messageFor(mailbox, { subject: 'A needle' }))
  await store.addMessage(mailbox, messageFor(mailbox, { subject: 'Only hay' }))
  expect(await find()).toEqual([1])
  await whenIndexed(store)
  expect(await find()).toEqual([1])
})
