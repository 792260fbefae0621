import pg, { type ClientBase, type ClientConfig, type PoolClient, type QueryConfig, type QueryResult } from 'pg'
import { DatabaseReadOnly } from './postgres-errors.ts'

/** To get a connection, a free one of the pool or a new one. */
const CONNECT_MS_MAX = 5_000

const LIMITS = {
  /** Nothing we ask takes longer than this where the database is well. */
  statement_timeout: 10_000,
  /** A team's row that is held longer than this is held by a transaction that is stuck. */
  lock_timeout: 2_000,
  /** A transaction that waits for us; ours never do, so a process that was paused must not keep its locks. */
  idle_in_transaction_session_timeout: 15_000,
}

/** Said to the session where it is ours alone. A pooler takes none of these at the start of a connection. */
const LIMIT_SESSION = limits('set')
/** Where each transaction may run on another connection of a pooler, it brings its limits along. */
export const BEGIN_LIMITED = { text: `begin; ${limits('set local')}; show transaction_read_only` }
export const BEGIN = { text: 'begin' }
export const COMMIT = { text: 'commit' }

/** As every connection of ours is. TLS is as the URL says. */
export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: 'mailhatch',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    types: { getTypeParser: parserOf },
  }
}

/** One connection apart from any pool, for whoever starts or looks. */
export async function connectAlone(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionConfig(url))
  client.on('error', () => {})
  await client.connect()
  await client.query(LIMIT_SESSION)
  return client
}

/** A new connection of a pool, if it leads to a server that takes writes. */
export async function prepareSession(client: ClientBase): Promise<void> {
  const answers = await client.query(`${LIMIT_SESSION}; show transaction_read_only`)
  refuseReadOnly(answers)
}

export async function checkWritable(client: ClientBase): Promise<void> {
  refuseReadOnly(await client.query('show transaction_read_only'))
}

/** Of statements that end with `show transaction_read_only`; it is on where a standby answers, too. */
export function refuseReadOnly(answers: QueryResult | QueryResult[]): void {
  const last = Array.isArray(answers) ? answers.at(-1) : answers
  // The name of the column is that of the setting.
  const row = last?.rows[0] as { transaction_read_only: string } | undefined
  if (row?.transaction_read_only !== 'off') throw new DatabaseReadOnly()
}

/** Sent together, without waiting for the answers between. */
export function send(client: PoolClient, queries: QueryConfig[]): Promise<PromiseSettledResult<QueryResult>[]> {
  const { stream } = client.connection
  stream.cork()
  const answers = queries.map((query) => client.query(query))
  stream.uncork()
  return Promise.allSettled(answers)
}

function limits(command: 'set' | 'set local'): string {
  return Object.entries(LIMITS)
    .map(([name, value]) => `${command} ${name} = ${value}`)
    .join('; ')
}

/** Numbers of ours stay below 2^53. */
function parserOf(...wanted: Parameters<typeof pg.types.getTypeParser>): (text: string) => unknown {
  const { INT8, NUMERIC } = pg.types.builtins
  return wanted[0] === INT8 || wanted[0] === NUMERIC ? Number : pg.types.getTypeParser(...wanted)
}
