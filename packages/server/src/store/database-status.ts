import { existsSync } from 'node:fs'
import { openForReading } from '../sqlite/connection.ts'
import { prepareQuery } from '../sqlite/query.ts'
import { readCluster, type ClusterStatus } from './cluster-status.ts'
import { hasOurTables } from './postgres-migrations.ts'
import { NEWEST_SCHEMA, readSchemaState } from './postgres-schema.ts'
import { connectAlone } from './postgres-session.ts'
import { isShared } from './postgres-upgrade.ts'
import { toQuery } from './postgres-statements.ts'
import { assemble, sql, type Sql } from './sql.ts'
import * as sqlite from './sqlite-migrations.ts'
import { BLOCK_SIZE } from './text-block.ts'

/** Location of a store: a SQLite file or a PostgreSQL URL. */
export type DatabaseLocation = { file: string } | { url: string }

export type DatabaseStatus = {
  /** 0 for a database that was never used. */
  schema: number
  /** The schema that this version migrates to. */
  newestSchema: number
  /** Servers of this and of the previous version can use the database, until `db migrate --finish`. */
  isFinishOpen: boolean
  /** Null if this version cannot use the schema. */
  counts: Counts | null
  /** Null if the tables are not distributed. */
  cluster: ClusterStatus | null
}

/**
 * `unindexed` messages are in complete blocks that are not in the text index yet. `missing` messages are counted with
 * their team but not stored: a copy into this database is incomplete.
 */
export type Counts = {
  teams: number
  mailboxes: number
  keys: number
  messages: number
  missing: number
  unindexed: number
}

/** Reads the status without changing anything. */
export async function readStatus(location: DatabaseLocation): Promise<DatabaseStatus> {
  return 'url' in location ? readPostgres(location.url) : readSqlite(location.file)
}

/** Looks into a database that may belong to another program, and changes nothing. */
export async function findTables(url: string): Promise<'ours' | 'not ours' | 'unreachable'> {
  try {
    const client = await connectAlone(url)
    try {
      return (await hasOurTables(client)) ? 'ours' : 'not ours'
    } finally {
      await client.end()
    }
  } catch {
    return 'unreachable'
  }
}

async function readPostgres(url: string): Promise<DatabaseStatus> {
  const client = await connectAlone(url)
  try {
    const state = await readSchemaState(client)
    const schemas = { schema: state.version, newestSchema: NEWEST_SCHEMA, isFinishOpen: isShared(state) }
    const counts = await countsOf(schemas, async (query) => (await client.query(toQuery(query))).rows)
    return { ...schemas, counts, cluster: counts && (await readCluster(client)) }
  } finally {
    await client.end()
  }
}

async function readSqlite(file: string): Promise<DatabaseStatus> {
  const newestSchema = sqlite.NEWEST_SCHEMA
  if (!existsSync(file)) return { schema: 0, newestSchema, isFinishOpen: false, counts: null, cluster: null }
  const connection = openForReading(file)
  try {
    const schema = Number(connection.prepare('pragma user_version').get()!['user_version'])
    const schemas = { schema, newestSchema, isFinishOpen: false }
    const counts = await countsOf(schemas, async <Row>(query: Sql) => {
      const { text, values } = assemble(query)
      return prepareQuery<Row>(connection, text).all(...values)
    })
    return { ...schemas, counts, cluster: null }
  } finally {
    connection.close()
  }
}

/** Null if this version cannot use the schema. */
async function countsOf(
  { schema, newestSchema, isFinishOpen }: Pick<DatabaseStatus, 'schema' | 'newestSchema' | 'isFinishOpen'>,
  read: <Row>(query: Sql) => Promise<Row[]>,
): Promise<Counts | null> {
  if (schema !== newestSchema && !isFinishOpen) return null
  // Both queries return one row.
  const counts = (await read<Omit<Counts, 'missing'>>(COUNTS))[0]!
  // Keys are copied last, so with a key everything is there. Counting all messages takes a while.
  const { teams, keys } = counts
  const { messages } = teams > 0 && keys === 0 ? (await read<{ messages: number }>(STORED))[0]! : counts
  return { ...counts, messages, missing: Math.max(0, counts.messages - messages) }
}

const STORED = sql`select count(*) as messages from messages`

// The number of messages is kept per team; mailboxes and keys are few. Citus supports these subqueries only after `from`.
const COUNTS = sql`
  select t.teams, b.mailboxes, k.keys, s.messages, s.unindexed
  from (select count(*) as teams from teams) t
       cross join (select count(*) as mailboxes from mailboxes where removed_at is null) b
       cross join (select count(*) as keys from api_keys) k
       cross join (
         select coalesce(sum(message_count), 0) as messages,
                coalesce(sum(case when last_position - (last_position + 1) % ${BLOCK_SIZE} > indexed_through
                                  then last_position - (last_position + 1) % ${BLOCK_SIZE} - indexed_through
                                  else 0 end), 0) as unindexed
         from team_state) s`
