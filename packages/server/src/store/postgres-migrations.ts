import { readdirSync, readFileSync } from 'node:fs'
import type { Client } from 'pg'

const FOLDER = new URL('./migrations-postgres/', import.meta.url)

/** Advisory lock for schema changes; any unused number. */
const LOCK = 7_245_073_185

/** A file is named after the schema version it creates. SQLite has the same tables at the same version. */
const STEPS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => ({ version: Number.parseInt(name, 10), file: new URL(name, FOLDER) }))

export const NEWEST_SCHEMA = STEPS.at(-1)!.version

/** 0 for a database that Mailhatch has not used yet. */
export async function readSchemaVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ exists: boolean }>(`select to_regclass('schema_version') is not null as exists`)
  if (!rows[0]!.exists) return 0
  const found = await client.query<{ version: number }>('select version from schema_version')
  return found.rows[0]?.version ?? 0
}

/** Whether the tables are ours: other programs have a table of schema versions or of teams too. */
export async function hasOurTables(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ ours: boolean }>(`
    select to_regclass('schema_version') is not null
       and to_regclass('removed_messages') is not null
       and exists (select from pg_attribute where attrelid = to_regclass('teams') and attname = 'is_bootstrap') as ours`)
  return rows[0]!.ours
}

/** Migrates to the newest schema, each step in its own transaction. Forward only. */
export async function migratePostgres(client: Client): Promise<void> {
  if ((await checkedVersion(client)) === NEWEST_SCHEMA) return
  // Other processes that start meanwhile wait here without a timeout.
  await client.query('set statement_timeout = 0; set lock_timeout = 0')
  await client.query('select pg_advisory_lock($1)', [LOCK])
  const version = await checkedVersion(client)
  for (const step of STEPS.filter((one) => one.version > version)) {
    await client.query(`
      begin;
      ${readFileSync(step.file, 'utf8')};
      create table if not exists schema_version (version bigint not null);
      delete from schema_version;
      insert into schema_version (version) values (${step.version});
      commit`)
  }
  await client.query('select pg_advisory_unlock($1)', [LOCK])
}

/** For a client that must not migrate, because the lock for it is on another host. */
export async function refuseOldSchema(client: Client, hostOfLock: string): Promise<void> {
  const version = await checkedVersion(client)
  if (version === NEWEST_SCHEMA) return
  throw new Error(
    `The database has schema ${version} and needs ${NEWEST_SCHEMA}, but ${hostOfLock} is unreachable. ` +
      'Only the first host migrates. Start again when it is back.',
  )
}

async function checkedVersion(client: Client): Promise<number> {
  const version = await readSchemaVersion(client)
  if (version <= NEWEST_SCHEMA) return version
  throw new Error(
    `The database has schema ${version}, but this version of Mailhatch supports only ${NEWEST_SCHEMA}. ` +
      'Start the newer version that wrote it, or restore a backup made before the upgrade.',
  )
}
