import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteDatabase } from '../src/store/sqlite-database.ts'
import { SHARED_TABLES, TEAM_TABLES } from '../src/store/team-tables.ts'
import { migrate } from './support/copy-journey.ts'
import { startPostgres } from './support/postgres-server.ts'
import { temporaryFolder } from './support/server.ts'

/** A unique index, also that of a primary key, and its first column. A table without one has null. */
type Unique = { table: string; index: string | null; first: string | null }

/** Changes that the check has to find. */
const STRAY = `
  create table stray (id text primary key);
  create unique index messages_by_id on messages (id)`

const EXPECTED_OF_STRAY = [
  'messages: messages_by_id begins with id, not with team_id',
  'stray is in neither list of team-tables.ts',
]

test('every table on SQLite is listed, and keys of teams begin with the team', async () => {
  const path = join(temporaryFolder(), 'mailhatch.db')
  await openSqliteDatabase(path).close()
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  expect(faultsIn(readSqlite(database))).toEqual([])
  database.exec(STRAY)
  expect(faultsIn(readSqlite(database))).toEqual(EXPECTED_OF_STRAY)
})

test('every table on PostgreSQL is listed, and keys of teams begin with the team', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.remove())
  await migrate(server.url())
  const client = new pg.Client(server.url())
  await client.connect()
  onTestFinished(() => client.end())
  const found = await readPostgres(client)
  expect(faultsIn(found)).toEqual([])
  expect(new Set(found.map(({ table }) => table))).toEqual(new Set([...TEAM_TABLES, ...SHARED_TABLES]))
  await client.query(STRAY)
  expect(faultsIn(await readPostgres(client))).toEqual(EXPECTED_OF_STRAY)
})

function faultsIn(found: Unique[]): string[] {
  const listed = [...TEAM_TABLES, ...SHARED_TABLES]
  const faults = found.flatMap(({ table, index, first }) => {
    if (!listed.includes(table)) return [`${table} is in neither list of team-tables.ts`]
    if (!TEAM_TABLES.includes(table) || first === 'team_id') return []
    return [`${table}: ${index ?? 'it'} begins with ${first ?? 'no key'}, not with team_id`]
  })
  return faults.sort()
}

function readSqlite(database: DatabaseSync): Unique[] {
  // The author of the query names its columns and so knows its rows.
  return database
    .prepare(
      `select t.name as "table", i.name as "index", c.name as first
       from sqlite_schema t
            left join pragma_index_list(t.name) i on i."unique" = 1
            left join pragma_index_info(i.name) c on c.seqno = 0
       where t.type = 'table' and t.name not like 'sqlite_%'`,
    )
    .all() as Unique[]
}

async function readPostgres(client: pg.Client): Promise<Unique[]> {
  const { rows } = await client.query<Unique>(`
    select t.relname as "table", i.indexrelid::regclass::text as "index", c.attname as first
    from pg_class t
         left join pg_index i on i.indrelid = t.oid and i.indisunique
         left join pg_attribute c on c.attrelid = t.oid and c.attnum = i.indkey[0]
    where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace`)
  return rows
}
