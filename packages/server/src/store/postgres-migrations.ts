import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import type { OnMigration } from './migration-progress.ts'
import { NEWEST_SCHEMA, readSchemaState, type SchemaState } from './postgres-schema.ts'
import {
  addressesOfOlderServers,
  finishUpgrade,
  isFormLeft,
  isShared,
  removeOldForm,
  UPGRADED_SCHEMA,
  upgradeInPlace,
} from './postgres-upgrade.ts'

const FOLDER = new URL('./migrations-postgres/', import.meta.url)

/** Advisory lock for schema changes; any unused number. */
const LOCK = 7_245_073_185
const LOCK_POLL_MS = 250

/** A file is named after the schema version it creates. */
const STEPS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => ({ version: Number.parseInt(name, 10), file: new URL(name, FOLDER) }))

export type MigrationOptions = {
  onMigration?: OnMigration
  /** Also removes what only servers of the previous schema need. None of them may run. */
  isFinish?: boolean
}

/** Whether the tables are ours: other programs have a table of schema versions or of teams too. */
export async function hasOurTables(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ ours: boolean }>(`
    select to_regclass('schema_version') is not null
       and to_regclass('removed_messages') is not null
       and exists (select from pg_attribute where attrelid = to_regclass('teams') and attname = 'is_bootstrap') as ours`)
  return rows[0]!.ours
}

/**
 * Migrates until this version can serve. Forward only. Older servers keep serving if the database has teams; then the last
 * step, which ends that, is only done on request.
 */
export async function migratePostgres(client: Client, options: MigrationOptions = {}): Promise<SchemaState> {
  const state = await checkedState(client)
  if (isMigrated(state, options)) return state
  // Nothing here is short, and what others wait for has its own limit.
  await client.query('set statement_timeout = 0; set lock_timeout = 0')
  await takeLock(client)
  await migrateLocked(client, options)
  await client.query('select pg_advisory_unlock($1)', [LOCK])
  return checkedState(client)
}

async function migrateLocked(client: Client, options: MigrationOptions): Promise<void> {
  for (const step of STEPS) {
    const state = await checkedState(client)
    if (isMigrated(state, options)) return
    if (state.version >= step.version) continue
    if (step.version === UPGRADED_SCHEMA + 1 && (state.part > 0 || (await isInUse(client)))) {
      await upgradeInPlace(client, options.onMigration ?? (() => {}))
      if (options.isFinish) await finishUpgrade(client)
    } else {
      await runStep(client, step)
    }
  }
  if (isFormLeft(await checkedState(client))) await removeOldForm(client)
}

/** An older server may just create the first team. The step would leave it without its new rows. */
const REFUSE_TEAMS = `
  lock table teams in access exclusive mode;
  do $$ begin
    if exists (select from teams) then
      raise 'An older server has just created a team. Start again.';
    end if;
  end $$`

async function runStep(client: Client, { version, file }: (typeof STEPS)[number]): Promise<void> {
  await client.query(`
    begin;
    ${version === UPGRADED_SCHEMA + 1 ? REFUSE_TEAMS : ''};
    ${readFileSync(file, 'utf8')};
    create table if not exists schema_version (version bigint not null);
    delete from schema_version;
    insert into schema_version (version) values (${version});
    commit`)
}

function isMigrated(state: SchemaState, { isFinish }: MigrationOptions): boolean {
  if (isFormLeft(state)) return false
  return state.version === NEWEST_SCHEMA || (isShared(state) && !isFinish)
}

/** Asks again and again: a statement that waits has a snapshot, and an index that another process builds waits for that. */
async function takeLock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK])
    if (rows[0]!.taken) return
    await pause(LOCK_POLL_MS)
  }
}

/** Also a database without teams, if an older server is connected: it would fail on tables that it does not know. */
async function isInUse(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ exist: boolean }>('select exists (select from teams) as exist')
  return rows[0]!.exist || (await addressesOfOlderServers(client)).length > 0
}

/** For a client that must not migrate, because the lock for it is on another host. */
export async function refuseOldSchema(client: Client, hostOfLock: string): Promise<SchemaState> {
  const state = await checkedState(client)
  if (isMigrated(state, {}) || isFormLeft(state)) return state
  throw new Error(
    `The database has schema ${state.version} and needs ${NEWEST_SCHEMA}, but ${hostOfLock} is unreachable. ` +
      'Only the first host migrates. Start again when it is back.',
  )
}

async function checkedState(client: Client): Promise<SchemaState> {
  const state = await readSchemaState(client)
  if (state.version <= NEWEST_SCHEMA) return state
  throw new Error(
    `The database has schema ${state.version}, but this version of Mailhatch supports only ${NEWEST_SCHEMA}. ` +
      'Start the newer version that wrote it, or restore a backup made before the upgrade.',
  )
}
