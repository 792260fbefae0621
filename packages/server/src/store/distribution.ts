import type { Client } from 'pg'
import { NEWEST_SCHEMA, readSchemaState } from './postgres-schema.ts'
import { nameHosts } from './postgres-hosts.ts'
import { connectAlone } from './postgres-session.ts'
import { SHARED_TABLES, TEAM_TABLES } from './team-tables.ts'

export type DistributionProgress = { table: string; done: number; total: number }

/** The tables that this run has changed. */
export type Distribution = { replicated: string[]; distributed: string[] }

/** All other tables of teams lie on the same nodes as this one. */
const FIRST = 'team_state'

/**
 * Their first argument is the team. A call of the second one runs on the team's node, where its statements need no round trips. It is
 * sent there in a transaction too, which it has behind a pooler.
 */
const TEAM_FUNCTIONS = [
  { name: 'lock_team(text)', isSentInTransaction: false },
  { name: 'store_messages(text, json)', isSentInTransaction: true },
]

/**
 * Makes a PostgreSQL database with Citus a distributed one: the teams are spread over the nodes, and what they share is copied to
 * each. Every table is a transaction of its own, and tables that are already distributed stay, so it can be run again.
 */
export async function distribute(
  url: string,
  onProgress: (progress: DistributionProgress) => void,
): Promise<Distribution> {
  const client = await connectAlone(url)
  try {
    await refuseOtherSchema(client)
    await ensureCitus(client, nameHosts(url))
    // Copying a large table takes as long as it takes.
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    return await distributeTables(client, onProgress)
  } finally {
    await client.end()
  }
}

async function refuseOtherSchema(client: Client): Promise<void> {
  const { version: schema, part } = await readSchemaState(client)
  if (schema === NEWEST_SCHEMA && part === 0) return
  const problem =
    schema === NEWEST_SCHEMA
      ? `The finish of the upgrade to schema ${schema} was interrupted.`
      : `The database has schema ${schema}, but only schema ${NEWEST_SCHEMA} can be distributed.`
  throw new Error(`${problem} Run: mailhatch db migrate${part > 0 ? ' --finish' : ''}`)
}

async function ensureCitus(client: Client, host: string): Promise<void> {
  const { rows } = await client.query<{ isInstalled: boolean }>(
    `select installed_version is not null as "isInstalled" from pg_available_extensions where name = 'citus'`,
  )
  if (rows[0]?.isInstalled) return
  if (rows[0]) {
    await client.query('create extension citus')
    return
  }
  throw new Error(
    `PostgreSQL at ${host} does not have the extension Citus, so nothing was changed. Install Citus 13 or later on every node, add ` +
      'citus to shared_preload_libraries, restart PostgreSQL, and run this command again.',
  )
}

async function distributeTables(
  client: Client,
  onProgress: (progress: DistributionProgress) => void,
): Promise<Distribution> {
  const replicated = await missing(client, 'reference', SHARED_TABLES)
  const distributed = await missing(client, 'distributed', TEAM_TABLES)
  const total = replicated.length + distributed.length
  let done = 0
  const finish = (table: string) => onProgress({ table, done: ++done, total })

  for (const table of replicated) {
    await client.query('select create_reference_table($1::regclass)', [table])
    finish(table)
  }
  for (const table of distributed) {
    const group = table === FIRST ? 'none' : FIRST
    await client.query(`select create_distributed_table($1::regclass, 'team_id', colocate_with => $2)`, [table, group])
    finish(table)
  }
  await distributeFunctions(client)
  await removeLocalRows(client)
  return { replicated, distributed }
}

/** Repeating this is harmless, and finds a function that a migration has replaced. */
async function distributeFunctions(client: Client): Promise<void> {
  for (const { name, isSentInTransaction } of TEAM_FUNCTIONS) {
    await client.query(
      `select create_distributed_function($1::regprocedure, 'team', colocate_with => $2, force_delegation => $3)`,
      [name, FIRST, isSentInTransaction],
    )
  }
}

async function missing(client: Client, type: string, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select table_name::text as name from citus_tables where citus_table_type = $1',
    [type],
  )
  const known = new Set(rows.map(({ name }) => name))
  return tables.filter((table) => !known.has(table))
}

/** Citus keeps the rows that it has copied to the nodes, invisible, in the coordinator's own tables. Repeating this is harmless. */
async function removeLocalRows(client: Client): Promise<void> {
  for (const table of [...SHARED_TABLES, ...TEAM_TABLES]) {
    await client.query('select truncate_local_data_after_distributing_table($1::regclass)', [table])
  }
}
