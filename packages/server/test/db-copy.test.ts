import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { KEYS, PARTS, TABLES_NOT_COPIED } from '../src/store/copy-tables.ts'
import { NEWEST_SCHEMA } from '../src/store/postgres-migrations.ts'
import { DATABASE_COPY } from './support/command-json.ts'
import { copyJourney, emptyTarget, migrate } from './support/copy-journey.ts'
import { runDatabaseCommand, startDatabaseCommand } from './support/database-command.ts'
import { growInstall, openSqliteStore } from './support/grown-install.ts'
import { startPostgres, type PostgresServer } from './support/postgres-server.ts'
import { temporaryFolder } from './support/server.ts'
import { lockFolder } from '../src/sqlite/lock.ts'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.remove())

/** The long form has 100,000. */
const MESSAGES = 1_700

test('an install with data is copied to an equal PostgreSQL store, with a kill during the copy', async () => {
  await copyJourney(postgres, MESSAGES)
})

test('status shows the state, and migrate updates the schema, on both databases', async () => {
  const dataDir = temporaryFolder()
  const url = await emptyTarget(postgres)
  const databases: Record<string, string>[] = [{ DATA_DIR: dataDir }, { DATABASE_URL: url }]
  for (const environment of databases) {
    const json = async (word: string) => JSON.parse((await runDatabaseCommand([word], environment)).stdout)
    const empty = { schema: 0, newestSchema: NEWEST_SCHEMA, counts: null }
    expect(await json('status')).toMatchObject(empty)
    expect(await json('migrate')).toMatchObject({ from: 0, to: NEWEST_SCHEMA })
    expect(await json('migrate')).toMatchObject({ from: NEWEST_SCHEMA, to: NEWEST_SCHEMA })
    const counts = { teams: 0, mailboxes: 0, keys: 0, messages: 0, unindexed: 0 }
    expect(await json('status')).toMatchObject({ schema: NEWEST_SCHEMA, counts })
  }
  await growInstall(dataDir, 2_100)
  const { stdout } = await runDatabaseCommand(['status', '--json'], { DATA_DIR: dataDir })
  // One block of 2,048 positions is complete; there is no position 0.
  const counts = { teams: 2, mailboxes: 2, keys: 2, messages: 2_103, unindexed: 2_047 }
  expect(JSON.parse(stdout)).toMatchObject({ database: `sqlite:${join(dataDir, 'mailhatch.db')}`, counts })
})

test('status does not show the password', async () => {
  const url = new URL(await emptyTarget(postgres))
  url.password = 'hidden-password'
  const { stdout } = await runDatabaseCommand(['status'], { DATABASE_URL: url.href })
  expect(JSON.parse(stdout)).toMatchObject({ database: `postgres://postgres@${url.host}${url.pathname}` })
  expect(stdout).not.toContain('hidden-password')
})

test('data that cannot be copied is refused, and nothing is written; after a copy, the target continues the numbering', async () => {
  const dataDir = temporaryFolder()
  await growInstall(dataDir, 10)
  const url = await emptyTarget(postgres)
  // In processes of their own, because a refused copy leaves its locks to the end of the process.
  const copy = (from: string, to = url) => startDatabaseCommand(['copy', '--from', from, '--to', to]).ended
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())

  const lock = lockFolder(join(dataDir, 'lock.db'), 'The source')
  expect(await copy(`sqlite:${dataDir}`)).toMatchObject({ code: 1, stderr: expect.stringContaining('is using') })
  lock.release()
  for (const [from, to, message, code] of [
    [`sqlite:${temporaryFolder()}`, url, 'there is no database at', 1],
    [dataDir, url, 'Expected sqlite:', 2],
    [`sqlite:${dataDir}`, 'mysql://localhost/mail', '--to must be postgres://', 2],
    [`sqlite:${dataDir}`, 'postgres://localhost,/mail', '--to has an empty host (host 2 of 2)', 2],
  ] as const) {
    expect(await copy(from, to)).toMatchObject({ code, stderr: expect.stringContaining(message) })
  }
  expect((await client.query(`select to_regclass('teams') as teams`)).rows).toEqual([{ teams: null }])

  const stranger = `insert into teams (id, name, plan, created_at) values ('stranger', 'Stranger', 'pro', 1)`
  await migrate(url)
  await client.query(stranger)
  expect(await copy(`sqlite:${dataDir}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The target has a team that is missing in the source: Stranger'),
  })
  expect((await client.query('select id from teams')).rows).toEqual([{ id: 'stranger' }])

  // The same command works without these problems.
  await client.query('delete from teams')
  const { code, stdout } = await copy(`sqlite:${dataDir}`)
  expect(code).toBe(0)
  expect(DATABASE_COPY.safeParse(JSON.parse(stdout)).error).toBeUndefined()
  expect(await gapsInNumbering(client)).toEqual({ messages: '1', rejections: '1', deliveries: '1', attempts: '1' })
  await client.query(`update teams set last_position = last_position + 1`)
  expect(await copy(`sqlite:${dataDir}`)).toMatchObject({ code: 1, stderr: expect.stringContaining('mail of its own') })
})

test('every column of both databases is copied, or listed as not copied', async () => {
  const copied = [...PARTS, KEYS].flatMap(({ tables }) =>
    tables.flatMap(({ name, columns, made }) => [...columns, ...made].map((column) => `${name}.${column}`)),
  )
  const isLeft = (table: string) => TABLES_NOT_COPIED.includes(table)

  const dataDir = temporaryFolder()
  await openSqliteStore(dataDir).close()
  const sqlite = new DatabaseSync(join(dataDir, 'mailhatch.db'))
  const inSqlite = sqlite
    .prepare(`select t.name as "table", c.name as "column" from sqlite_schema t, pragma_table_info(t.name) c
              where t.type = 'table' and t.name not like 'sqlite_%'`)
    .all() as Column[]
  sqlite.close()

  const url = await emptyTarget(postgres)
  await migrate(url)
  const client = new pg.Client(url)
  await client.connect()
  const { rows: inPostgres } = await client.query<Column>(
    `select table_name as "table", column_name as "column" from information_schema.columns where table_schema = 'public'`,
  )
  await client.end()

  for (const columns of [inSqlite, inPostgres]) {
    const found = columns.filter(({ table }) => !isLeft(table)).map(({ table, column }) => `${table}.${column}`)
    expect(found.sort()).toEqual(copied.toSorted())
  }
})

type Column = { table: string; column: string }

/** The next number that the target gives, counted from the last one that is used. */
async function gapsInNumbering(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query(`
    select nextval(pg_get_serial_sequence('messages', 'sequence')) - max(sequence) as messages,
           nextval(pg_get_serial_sequence('rejections', 'id')) - (select max(id) from rejections) as rejections,
           nextval(pg_get_serial_sequence('deliveries', 'sequence')) - (select max(sequence) from deliveries) as deliveries,
           nextval(pg_get_serial_sequence('delivery_attempts', 'sequence'))
           - (select max(sequence) from delivery_attempts) as attempts
    from messages`)
  return rows[0]
}
