import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { administer, emptyDatabase } from '../support/postgres.ts'
import { PREVIOUS_SCHEMA } from '../support/previous-schema.ts'

const FOLDER = join(import.meta.dirname, '../../src/store/migrations-postgres')

/** The URL of a new database with the schema of the previous version. */
export async function previousDatabase(): Promise<string> {
  const url = await emptyDatabase()
  await createPreviousTables(url)
  return url
}

export async function createPreviousTables(url: string): Promise<void> {
  for (const { version, text } of migrations()) if (version <= PREVIOUS_SCHEMA) await administer(url, text)
  await administer(
    url,
    `create table schema_version (version bigint not null); insert into schema_version values (${PREVIOUS_SCHEMA})`,
  )
}

/** Migrates in one transaction, which only a database without teams gets otherwise. */
export async function migrateAtOnce(url: string): Promise<void> {
  for (const { version, text } of migrations()) if (version > PREVIOUS_SCHEMA) await administer(url, text)
}

function migrations(): { version: number; text: string }[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ version: Number.parseInt(name, 10), text: readFileSync(join(FOLDER, name), 'utf8') }))
}

export async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** Everything in the schema but the order of the columns and the names of `not null`. */
export async function catalogOf(url: string): Promise<string[]> {
  const rows = await query<{ line: string }>(
    url,
    `select line from (
       select format('column %s.%s %s %s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                     case when a.attnotnull then 'not null' end, l.collname, a.attidentity, a.attstorage,
                     pg_get_expr(d.adbin, d.adrelid)) as line
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
            left join pg_collation l on l.oid = a.attcollation
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
       union all
       select format('relation %s %s %s', relname, relkind, reloptions) from pg_class
       where relnamespace = 'public'::regnamespace
       union all
       select format('index %s valid: %s', pg_get_indexdef(indexrelid), indisvalid) from pg_index i
       join pg_class c on c.oid = i.indexrelid and c.relnamespace = 'public'::regnamespace
       union all
       select format('constraint %s %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated)
       from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
       union all
       select format('trigger %s %s', tgrelid::regclass, tgname) from pg_trigger where not tgisinternal
       union all
       select format('function %s', proname) from pg_proc where pronamespace = 'public'::regnamespace) lines
     order by line`,
  )
  return rows.map(({ line }) => line)
}
