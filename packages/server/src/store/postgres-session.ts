import pg, { type ClientBase, type ClientConfig, type PoolClient, type QueryConfig, type QueryResult } from 'pg'
import { DatabaseReadOnly } from './postgres-errors.ts'
import { failureOf, HostFailure, splitHosts } from './postgres-hosts.ts'
import { APPLICATION_NAME, NEWEST_SCHEMA } from './postgres-schema.ts'

/** Timeout to get a connection, free or new. */
export const CONNECT_MS_MAX = 5_000

const SETTINGS = {
  /** No statement takes longer on a healthy database. */
  statement_timeout: 10_000,
  /** A team's row that is locked longer belongs to a stuck transaction. */
  lock_timeout: 2_000,
  /** Our transactions never wait for the client, so a paused process must not keep its locks. */
  idle_in_transaction_session_timeout: 15_000,
  /**
   * Of SSDs and data in memory; PostgreSQL assumes disks that seek. With its default, a search that checks 512 messages by their
   * positions reads the contents of the whole team.
   */
  random_page_cost: 1.1,
  /** While servers of the previous schema run too, triggers translate what each writes (migrations-postgres/in-place). */
  'mailhatch.schema': NEWEST_SCHEMA,
}

/** For a session of our own. A pooler does not accept these as connection parameters. */
const SET_SESSION = settings('set')
/** For poolers in transaction mode: each transaction has its own settings. */
export const BEGIN_LIMITED = { text: `begin; ${settings('set local')}; show transaction_read_only` }
export const BEGIN = { text: 'begin' }
export const COMMIT = { text: 'commit' }
export const ROLLBACK = { text: 'rollback' }

/** The configuration of every connection. The URL determines TLS. */
export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: APPLICATION_NAME,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    types: { getTypeParser: parserOf },
  }
}

/** A single connection outside any pool, for start-up and status. Of several hosts, to the first that can be used. */
export async function connectAlone(url: string, further: ClientConfig = {}): Promise<pg.Client> {
  const failures: HostFailure[] = []
  for (const host of splitHosts(url)) {
    try {
      return await connectTo(host, further)
    } catch (error) {
      failures.push(new HostFailure(host, error))
    }
  }
  throw failureOf(failures)
}

async function connectTo(url: string, further: ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionConfig(url), ...further })
  client.on('error', () => {})
  await client.connect()
  await client.query(SET_SESSION)
  return client
}

/** Prepares a new pooled connection, and refuses a server that is read-only. */
export async function prepareSession(client: ClientBase): Promise<void> {
  const results = await client.query(`${SET_SESSION}; show transaction_read_only`)
  refuseReadOnly(results)
}

export async function checkWritable(client: ClientBase): Promise<void> {
  refuseReadOnly(await client.query('show transaction_read_only'))
}

/** The column is named after the setting. */
type Shown = { transaction_read_only: string }

/** For statements that end with `show transaction_read_only`. It is also on at a standby. */
export function refuseReadOnly(results: QueryResult<Shown> | QueryResult<Shown>[]): void {
  const last = Array.isArray(results) ? results.at(-1) : results
  if (last?.rows[0]?.transaction_read_only !== 'off') throw new DatabaseReadOnly()
}

/** Sends all queries in one write, without waiting for the results in between. */
export function send(client: PoolClient, queries: QueryConfig[]): Promise<PromiseSettledResult<QueryResult>[]> {
  const { stream } = client.connection
  stream.cork()
  const results = Promise.allSettled(queries.map((query) => client.query(query)))
  stream.uncork()
  return results
}

function settings(command: 'set' | 'set local'): string {
  return Object.entries(SETTINGS)
    .map(([name, value]) => `${command} ${name} = ${value}`)
    .join('; ')
}

/** Our integers are below 2^53. */
function parserOf(...wanted: Parameters<typeof pg.types.getTypeParser>): (text: string) => unknown {
  const { INT8, NUMERIC } = pg.types.builtins
  return wanted[0] === INT8 || wanted[0] === NUMERIC ? Number : pg.types.getTypeParser(...wanted)
}
