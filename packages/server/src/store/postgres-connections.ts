import pg, { type ClientConfig, type PoolClient } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'

/** Nothing we ask takes longer than this where the database is well. */
const STATEMENT_MS_MAX = 10_000
/** Whoever holds a team's row longer than this is stuck. */
const LOCK_MS_MAX = 2_000
/** A transaction that waits for us; ours never do, so a process that was paused must not keep its locks. */
const IDLE_IN_TRANSACTION_MS_MAX = 15_000
/** The server ends a statement sooner; after this it is the server, or the way to it, that is gone. */
const ANSWER_MS_MAX = 15_000
/** To get a connection, a free one of the pool or a new one. */
const CONNECT_MS_MAX = 5_000
const IDLE_CONNECTION_MS_MAX = 60_000
/** Between tries, a little longer each time: a server that restarts is back in less than their sum. */
const RETRY_DELAYS_MS = [50, 250, 1_000]

const CONNECTION_EXCEPTION_CLASS = '08'
const SERVER_ENDS_OR_STARTS = ['57P01', '57P02', '57P03']
/** Serialization failure, deadlock: nothing was done, and the next try may well succeed. */
const TRY_AGAIN = ['40001', '40P01']
const DISK_FULL = '53100'

/** As every connection of ours is, whoever uses it. TLS is as the URL says. */
export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: 'mailhatch',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    statement_timeout: STATEMENT_MS_MAX,
    lock_timeout: LOCK_MS_MAX,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS_MAX,
    types: { getTypeParser: parserOf },
  }
}

export type Connections = {
  /** Lends one. What could not begin is tried again, and so is what was cut off if it may be repeated. */
  use<Result>(work: (client: PoolClient) => Promise<Result>, kind?: { isRepeatable: boolean }): Promise<Result>
  close(): Promise<void>
}

export function openConnections(url: string, max: number): Connections {
  const pool = new pg.Pool({
    ...connectionConfig(url),
    max,
    idleTimeoutMillis: IDLE_CONNECTION_MS_MAX,
    query_timeout: ANSWER_MS_MAX,
    // Queries are sent without waiting for the answers to those before.
    pipeline: true,
  })
  // The end of a connection is told to whoever uses it; one that nobody uses is replaced by the pool.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  async function useOnce<Result>(client: PoolClient, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    try {
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      client.release(client.getTransactionStatus() !== 'I' || isConnectionLost(error))
      throw explained(error)
    }
  }

  return {
    use(work, { isRepeatable } = { isRepeatable: false }) {
      let hasBegun = false
      const attempt = async () => {
        hasBegun = false
        const client = await pool.connect()
        hasBegun = true
        return useOnce(client, work)
      }
      return retrying(attempt, (error) => isConnectionLost(error) && (isRepeatable || !hasBegun))
    },
    close: () => pool.end(),
  }
}

/** Runs the work again while its failure is one that may pass, a few times. */
export async function retrying<Result>(
  work: () => Promise<Result>,
  mayPass: (error: unknown) => boolean,
): Promise<Result> {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await work()
    } catch (error) {
      if (!mayPass(error)) throw error
      // Those who failed together should not come back together.
      await pause(delay * (0.5 + Math.random()))
    }
  }
  return work()
}

/** The connection is gone, or could not be had; what it was asked last may have been done or not. */
export function isConnectionLost(error: unknown): boolean {
  // All connections are busy: asking again would only lengthen the queue.
  if (error instanceof Error && error.message === 'timeout exceeded when trying to connect') return false
  const code = codeOf(error)
  if (SERVER_ENDS_OR_STARTS.includes(code) || code.startsWith(CONNECTION_EXCEPTION_CLASS)) return true
  // Everything else that the server says comes with a code of five characters.
  return !(error instanceof pg.DatabaseError)
}

export function isWorthAnotherTry(error: unknown): boolean {
  return TRY_AGAIN.includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Out of room is said as our own disk says it. */
export function explained(error: unknown): unknown {
  if (codeOf(error) !== DISK_FULL) return error
  return Object.assign(new Error('The database is out of disk space.', { cause: error }), { code: 'ENOSPC' })
}

/** Numbers of ours stay below 2^53. */
function parserOf(...wanted: Parameters<typeof pg.types.getTypeParser>): (text: string) => unknown {
  const { INT8, NUMERIC } = pg.types.builtins
  return wanted[0] === INT8 || wanted[0] === NUMERIC ? Number : pg.types.getTypeParser(...wanted)
}
