import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { copyStore } from '../src/store/copy-store.ts'
import { KEYS, PARTS, TABLES_NOT_COPIED } from '../src/store/copy-tables.ts'
import { openPostgresDatabase } from '../src/store/postgres-database.ts'
import { NEWEST_SCHEMA } from '../src/store/postgres-schema.ts'
import { sql } from '../src/store/sql.ts'
import { openSqliteDatabase } from '../src/store/sqlite-database.ts'
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

test('data that cannot be copied is refused, and nothing is written', async () => {
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
  await client.query(`update team_state set last_position = last_position + 1`)
  expect(await copy(`sqlite:${dataDir}`)).toMatchObject({ code: 1, stderr: expect.stringContaining('mail of its own') })
})

test('a copy that is run again continues in each team after its last message', async () => {
  const file = join(temporaryFolder(), 'mailhatch.db')
  const source = openSqliteDatabase(file)
  const sqlite = new DatabaseSync(file)
  for (const team of ['a', 'b', 'c', 'd']) sqlite.exec(teamWithMessages(team, [1, 2, 3]))
  const target = await openPostgresDatabase(await emptyTarget(postgres))
  onTestFinished(async () => {
    sqlite.close()
    await Promise.all([source.close(), target.close()])
  })
  const copied = async () => (await copyStore({ source, target }, () => {})).copied

  expect(await copied()).toMatchObject({ teams: 4, messages: 12, rejections: 12, keys: 4 })
  // As if it had been interrupted, and the source had then received mail for a team that was copied.
  await target.write(
    sql`delete from api_keys`,
    sql`delete from messages where team_id = 'b' or (team_id = 'c' and position > 1)`,
    sql`delete from rejections where team_id = 'd'`,
  )
  sqlite.exec(messages('a', [4, 5]))
  expect(await copied()).toMatchObject({ teams: 0, messages: 2 + 3 + 2, rejections: 3 + 2, keys: 4 })
  expect(await copied()).toEqual({})
})

/** Also a rejection for each. */
function messages(team: string, positions: number[]): string {
  return positions
    .map(
      (position) => `
        insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, domain, sender, recipient, subject, received_at,
                              stored_at, attachment_count, subject_folded, sender_folded, recipient_folded,
                              mailbox_with_tag_folded, object_mailbox)
        values ('${team}', ${position}, 'id${position}', 'qa', 'qa', 'x.test', '', '', '', 1, 1, 0, '', '', '', '', 'qa');
        insert into message_contents (team_id, position, headers, codes, links, attachments, parse)
        values ('${team}', ${position}, '[]', '[]', '[]', '[]', 'complete');
        insert into rejections (team_id, id, at, sender, recipient, code, reason)
        values ('${team}', ${position}, 1, '', '', '550', 'no');`,
    )
    .join('')
}

function teamWithMessages(team: string, positions: number[]): string {
  return `
    insert into teams (id, name, plan, created_at) values ('${team}', '${team}', 'pro', 1);
    insert into team_state (team_id) values ('${team}');
    insert into mailboxes (team_id, id, name, domain, created_at, updated_at)
    values ('${team}', 'qa', 'qa', '${team}.test', 1, 1);
    insert into api_keys (id, team_id, name, hash, masked, scopes, created_at)
    values ('${team}', '${team}', 'ci', '${team}', 'mh_…', '[]', 1);
    ${messages(team, positions)}`
}

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

test('a file that a server uses is not migrated', async () => {
  const dataDir = temporaryFolder()
  const lock = lockFolder(join(dataDir, 'lock.db'), 'The database')
  const refused = await runDatabaseCommand(['migrate'], { DATA_DIR: dataDir })
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('A Mailhatch server is using')
  lock.release()
  expect(await runDatabaseCommand(['migrate'], { DATA_DIR: dataDir })).toMatchObject({ code: 0 })
})
