import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { administer, emptyDatabase, freshDatabase } from '../../test/support/postgres.ts'
import { startPostgres, type PostgresServer } from '../../test/support/postgres-server.ts'
import type { Mailbox } from './mailboxes.ts'
import { queryFor, searchFor } from './message-query.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { sql } from './sql.ts'
import { createSqlStore } from './sql-store.ts'
import { addMailbox, addTeam, messageFor } from './store-contract.ts'
import type { Store } from './store.ts'

async function open(url: string) {
  const database = await openPostgresDatabase(url)
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) })
  onTestFinished(() => store.close())
  return { database, store }
}

/** A server that tests may restart and configure. */
let own: PostgresServer
beforeAll(async () => {
  own = await startPostgres()
})
afterAll(() => own.remove())

test.each(['fsync', 'full_page_writes', 'synchronous_commit'])('a server with %s=off is refused', async (setting) => {
  const set = async (value: string) => {
    await administer(own.url(), `alter system set ${setting} = ${value}`)
    await administer(own.url(), 'select pg_reload_conf()')
  }
  await (await openPostgresDatabase(own.url())).close()
  await set('off')
  const refusal = new RegExp(`PostgreSQL runs with ${setting}=off: accepted mail could be lost.*start again`, 's')
  // The server reads its settings a moment later.
  await vi.waitFor(() => expect(openPostgresDatabase(own.url())).rejects.toThrow(refusal), 10_000)
  await set('default')
  await vi.waitFor(async () => (await openPostgresDatabase(own.url())).close(), 10_000)
})

test('a database with another encoding is refused', async () => {
  await administer(own.url(), `create database latin encoding 'LATIN1' template template0`)
  await expect(openPostgresDatabase(own.url('latin'))).rejects.toThrow(/server_encoding=LATIN1/)
})

test('a server that is too old is refused with the version that is needed', async () => {
  await administer(own.url(), 'create database aged')
  await (await openPostgresDatabase(own.url('aged'))).close()
  // The version comes from a view that hides the real one.
  await administer(
    own.url('aged'),
    `create schema aged;
     create view aged.pg_settings as
       select name, case name when 'server_version_num' then '140019' else setting end as setting from pg_settings;
     alter database aged set search_path = aged, pg_catalog, public`,
  )
  await expect(openPostgresDatabase(own.url('aged'))).rejects.toThrow(
    /PostgreSQL 14 is too old: Mailhatch requires 15 or newer\./,
  )
})

test('a read-only server is refused with what to do', async () => {
  await administer(own.url(), 'create database frozen')
  await (await openPostgresDatabase(own.url('frozen'))).close()
  await administer(own.url(), 'alter database frozen set default_transaction_read_only = on')
  await expect(openPostgresDatabase(own.url('frozen'))).rejects.toThrow(
    /PostgreSQL is read-only: .*primary, then start again\./,
  )
})

test('an unreachable server is named, without the password', async () => {
  const failure = openPostgresDatabase('postgres://someone:geheim@127.0.0.1:1/mail').catch(String)
  expect(await failure).toMatch(/^Error: PostgreSQL at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED.*DATABASE_URL/)
  expect(await failure).not.toContain('geheim')
})

test('a database of a newer Mailhatch is refused with what to do', async () => {
  const url = await freshDatabase()
  await open(url)
  await administer(url, 'update schema_version set version = 999')
  await expect(openPostgresDatabase(url)).rejects.toThrow(/schema 999.*supports only.*newer version/s)
})

// Not on Citus, where the pieces of a table have its statistics.
test('with the first messages, statistics are collected a few times, for any number of teams', async () => {
  const url = await freshDatabase()
  const { database, store } = await open(url)
  const mailboxes: Mailbox[] = []
  for (let team = 0; team < 12; team++) mailboxes.push(await addMailbox(store, await addTeam(store), 'qa'))
  const analyzed = async () => {
    const [row] = await database.read<{ rows: number; times: number }>(sql`
      select reltuples as rows, cast(analyze_count as int) as times
      from pg_class join pg_stat_user_tables on relid = oid where oid = cast('messages' as regclass)`)
    return row!
  }
  const storeInEach = (count: number) =>
    Promise.all(
      mailboxes.flatMap((mailbox) =>
        Array.from({ length: count }, () => store.addMessage(mailbox, messageFor(mailbox))),
      ),
    )

  await storeInEach(9)
  await expect.poll(async () => (await analyzed()).rows).toBeGreaterThanOrEqual(100)
  // Each team gets its hundredth message.
  await storeInEach(91)
  await expect.poll(async () => (await analyzed()).times).toBe(2)
  expect((await analyzed()).rows).toBeGreaterThanOrEqual(1_000)
  // Another process has its hundredth message, and then more.
  const { store: other } = await open(url)
  for (let count = 0; count < 200; count++) await other.addMessage(mailboxes[0]!, messageFor(mailboxes[0]!))
  expect((await analyzed()).times).toBe(2)
})

test('columns of messages that no index contains are left out of the statistics', async () => {
  await administer(own.url(), 'create database counted')
  const url = own.url('counted')
  const { database } = await open(url)
  const counted = async () => {
    const rows = await database.read<{ name: string }>(sql`
      select attname as name from pg_attribute
      where attrelid = cast('messages' as regclass) and attnum > 0 and not attisdropped and coalesce(attstattarget, -1) <> 0`)
    return rows.map(({ name }) => name).toSorted()
  }
  const indexed = ['id', 'mailbox_id', 'position', 'received_at', 'tag', 'team_id']
  expect(await counted()).toEqual(indexed)

  // A database of the previous version, whose tables belong to another role.
  await administer(url, 'alter table messages alter column subject set statistics -1')
  await administer(url, `create role reader login; grant all on all tables in schema public to reader`)
  await (await openPostgresDatabase(url.replace('//postgres', '//reader'))).close()
  expect(await counted()).toEqual([...indexed, 'subject'].toSorted())
  await (await openPostgresDatabase(url)).close()
  expect(await counted()).toEqual(indexed)
})

test('a failed migration leaves nothing behind, and the next start repeats it', async () => {
  const url = await emptyDatabase()
  await administer(url, 'create table rejections (id integer)')
  await expect(openPostgresDatabase(url)).rejects.toThrow(/rejections/)
  await administer(url, 'drop table rejections')
  const { store } = await open(url)
  expect(await store.listTeams()).toEqual([])
})

// A server that is stopped is in test/replicas/failures.long.test.ts.
test('after a kill of the server everything works again, and nothing acknowledged is lost', async () => {
  await administer(own.url(), 'create database restarted')
  const { store } = await open(own.url('restarted'))
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  const acknowledged: string[] = []
  let isWriting = true
  const write = async () => {
    while (isWriting) {
      const message = messageFor(mailbox)
      // As the worker does: retry until it is acknowledged.
      for (let isDone = false; !isDone;)
        isDone = await store.addMessage(mailbox, message).then(
          () => true,
          () => false,
        )
      acknowledged.push(message.id)
    }
  }
  const writing = Promise.all(Array.from({ length: 8 }, write))
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(100))
  await own.restart('kill', async () => {
    await expect(store.check()).rejects.toThrow('ECONNREFUSED')
  })
  const before = acknowledged.length
  await store.check()
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 100), 10_000)
  isWriting = false
  await writing
  expect(await allIds(store, team.id)).toEqual(acknowledged.toSorted())
})

async function allIds(store: Store, teamId: string): Promise<string[]> {
  const passing = await store.passingMessages(teamId, { after: 0, limit: 1_000_000, withContent: false })
  expect(passing.map(({ position }) => position)).toEqual(passing.map((_, index) => index + 1))
  return passing.map(({ id }) => id).toSorted()
}

test('text that PostgreSQL cannot store is not found, and is not an error', async () => {
  const { store } = await open(await freshDatabase())
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  await store.addMessage(mailbox, messageFor(mailbox, { tag: 'a' }))
  for (const [tag, count] of [
    ['a', 1],
    ['a\0', 0],
    ['\0', 0],
  ] as const) {
    const view = { teamId: team.id, oldestReceivedAt: 0, filter: { tag } }
    expect(await store.listMessages(view, { limit: 5, before: null })).toHaveLength(count)
  }
})

test('the newest message is found through the index of the filter', async () => {
  const { database, store } = await open(await freshDatabase())
  const team = await addTeam(store)
  const mailboxes = await Promise.all(['qa', 'dev2', 'shop', 'ops'].map((name) => addMailbox(store, team, name)))
  await Promise.all(
    Array.from({ length: 4_000 }, (_, number) => {
      const mailbox = mailboxes[number % mailboxes.length]!
      return store.addMessage(mailbox, messageFor(mailbox, { tag: `t${number % 500}`, receivedAt: number }))
    }),
  )
  await database.write(sql`analyze`)
  const indexFor = async (filter: object) => {
    const { where, newestFirst } = searchFor(database.dialect, { teamId: team.id, oldestReceivedAt: 0, filter })
    const plan = await database.read(sql`explain select m.id from messages m where ${where} ${newestFirst} limit 1`)
    return /using (\w+)/.exec(JSON.stringify(plan))?.[1]
  }
  expect(await indexFor({})).toBe('messages_by_time')
  expect(await indexFor({ mailboxId: mailboxes[0]!.id })).toBe('messages_by_mailbox')
  expect(await indexFor({ tag: 't1' })).toBe('messages_by_tag')
  expect(await indexFor({ mailboxId: mailboxes[0]!.id, tag: 't1' })).toBe('messages_by_tag')

  // Candidates of a search, of which most are on the page: not by walking all messages in the order of the page.
  const among = Array.from({ length: 128 }, (_, number) => 1_000 + number)
  const view = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
  const named = queryFor(database.dialect, view, { order: 'newest first', limit: 51 }, { among })
  const plan = await database.read(sql`explain select m.id from messages m ${named}`)
  expect(/using (\w+)/.exec(JSON.stringify(plan))?.[1]).toBe('messages_pkey')
})
