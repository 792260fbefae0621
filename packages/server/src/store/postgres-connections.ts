import pg, { type PoolClient, type QueryConfig } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseUnavailable, explained, isConnectionLost, isReadOnly } from './postgres-errors.ts'
import { BEGIN, BEGIN_LIMITED, checkWritable, connectionConfig, prepareSession } from './postgres-session.ts'
import { toNamedQuery, toQuery } from './postgres-statements.ts'
import type { Sql } from './sql.ts'

/** The server ends a statement sooner; after this it is the server, or the way to it, that is gone. */
const ANSWER_MS_MAX = 15_000
const IDLE_CONNECTION_MS_MAX = 60_000
/** Between tries, a little longer each time: a server that restarts is back in less than their sum. */
const RETRY_DELAYS_MS = [50, 250, 1_000]
/** A server that became a standby shows what was, and no read would fail: this is how old it may be. */
const WRITABLE_MS_MAX = 2_000

export type Way = {
  url: string
  /** Through a pooler that gives each transaction whichever connection is free: nothing may be left on one. */
  isPooled: boolean
}

/** A connection while it is lent, and how to talk on it. */
export type Lent = { client: PoolClient; begin: QueryConfig; toQuery: (statement: Sql) => QueryConfig }

export type Connections = {
  /** Lends one. What could not begin is tried again, and so is what was cut off if it may be repeated. */
  use<Result>(work: (lent: Lent) => Promise<Result>, kind?: { isRepeatable: boolean }): Promise<Result>
  /** Rejects while no connection takes writes. */
  check(): Promise<void>
  close(): Promise<void>
}

/**
 * When each connection was last seen to take writes. One that no longer does takes all others with it, those of other
 * pools on the same database, too: they were made when the address led elsewhere.
 */
export type Writable = { confirm(client: PoolClient): void; ageMs(client: PoolClient): number; forgetAll(): void }

export function createWritable(): Writable {
  let confirmed = new WeakMap<PoolClient, number>()
  return {
    confirm: (client) => void confirmed.set(client, performance.now()),
    ageMs: (client) => performance.now() - (confirmed.get(client) ?? -Infinity),
    forgetAll: () => void (confirmed = new WeakMap()),
  }
}

export function openConnections({ url, isPooled }: Way, max: number, writable: Writable): Connections {
  const pool = new pg.Pool({
    ...connectionConfig(url),
    max,
    idleTimeoutMillis: IDLE_CONNECTION_MS_MAX,
    query_timeout: ANSWER_MS_MAX,
    // Queries are sent without waiting for the answers to those before.
    pipeline: true,
    async onConnect(client) {
      client.on('error', () => {})
      if (!isPooled) await prepareSession(client)
      // The pool lends what it has connected.
      writable.confirm(client as PoolClient)
    },
  })
  // The end of a connection is told to whoever uses it; one that nobody uses is replaced by the pool.
  pool.on('error', () => {})
  const way = isPooled ? { begin: BEGIN_LIMITED, toQuery } : { begin: BEGIN, toQuery: toNamedQuery }

  async function connect(): Promise<PoolClient> {
    for (;;) {
      const client = await pool.connect()
      if (writable.ageMs(client) < Infinity) return client
      client.release(true)
    }
  }

  /** Sent ahead of the work, in the same go, where the last time is long ago. */
  async function confirmWritable(client: PoolClient): Promise<void> {
    if (isPooled || writable.ageMs(client) < WRITABLE_MS_MAX) return
    await checkWritable(client)
    writable.confirm(client)
  }

  async function useOnce<Result>(client: PoolClient, work: (lent: Lent) => Promise<Result>): Promise<Result> {
    try {
      const [check, outcome] = await Promise.allSettled([confirmWritable(client), work({ client, ...way })])
      if (check.status === 'rejected') throw check.reason
      if (outcome.status === 'rejected') throw outcome.reason
      client.release(writable.ageMs(client) === Infinity)
      return outcome.value
    } catch (error) {
      if (isReadOnly(error)) writable.forgetAll()
      client.release(client.getTransactionStatus() !== 'I' || isConnectionLost(error))
      throw error
    }
  }

  async function use<Result>(
    work: (lent: Lent) => Promise<Result>,
    { isRepeatable } = { isRepeatable: false },
  ): Promise<Result> {
    let hasBegun = false
    const attempt = async () => {
      hasBegun = false
      const client = await connect()
      hasBegun = true
      return useOnce(client, work)
    }
    try {
      return await retrying(attempt, (error) => isConnectionLost(error) && (isRepeatable || !hasBegun))
    } catch (error) {
      // For whatever reason there is no connection: a certificate, a password, a name.
      throw hasBegun ? explained(error) : new DatabaseUnavailable(error)
    }
  }

  return {
    use,
    check: () => use(({ client }) => checkWritable(client), { isRepeatable: true }),
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
