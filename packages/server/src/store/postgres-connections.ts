import pg, { type PoolClient, type QueryConfig } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseUnavailable, toDatabaseError, isConnectionLost, isReadOnly } from './postgres-errors.ts'
import { hostClients } from './postgres-host-client.ts'
import { failureOf, HostFailure, type Rotation } from './postgres-hosts.ts'
import { BEGIN, BEGIN_LIMITED, checkWritable, CONNECT_MS_MAX, prepareSession } from './postgres-session.ts'
import { toNamedQuery, toQuery } from './postgres-statements.ts'
import type { Sql } from './sql.ts'

/** The server ends a statement sooner. After this time, the server or the network is gone. */
const RESPONSE_MS_MAX = 15_000
const IDLE_CONNECTION_MS_MAX = 60_000
/** Of several hosts, one that was down has its share again after this time, also under steady load. */
const ROTATED_CONNECTION_SECONDS_MAX = 300
/** Backoff between attempts. A restarting server is back in less than their sum. */
const RETRY_DELAYS_MS = [50, 250, 1_000]
/** A server that became a standby returns outdated rows without an error. They may be this old. */
const WRITABLE_MS_MAX = 2_000

export type DatabaseAddress = {
  hosts: Rotation
  /** Goes through a pooler in transaction mode, which may use another connection per transaction. Keep no session state. */
  isPooled: boolean
}

/** A borrowed connection, and how to run statements on it. */
export type Borrowed = { client: PoolClient; begin: QueryConfig; toQuery: (statement: Sql) => QueryConfig }

export type Connections = {
  /** Borrows a connection. Work that could not start is retried, and interrupted work too if it is repeatable. */
  use<Result>(work: (borrowed: Borrowed) => Promise<Result>, kind?: { isRepeatable: boolean }): Promise<Result>
  /** Rejects while no connection accepts writes. */
  check(): Promise<void>
  close(): Promise<void>
}

/**
 * When each connection last accepted writes. One that no longer does invalidates all others, also those of other pools
 * on the same database: they were opened before the address moved to another server.
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

export function openConnections({ hosts, isPooled }: DatabaseAddress, max: number, writable: Writable): Connections {
  const { Client, failed, reached } = hostClients(hosts)
  const pool = new pg.Pool({
    Client,
    max,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    idleTimeoutMillis: IDLE_CONNECTION_MS_MAX,
    maxLifetimeSeconds: hosts.count > 1 ? ROTATED_CONNECTION_SECONDS_MAX : 0,
    query_timeout: RESPONSE_MS_MAX,
    // Queries are sent without waiting for the responses to earlier ones.
    pipeline: true,
    async onConnect(client) {
      client.on('error', () => {})
      if (!isPooled) {
        await prepareSession(client).catch((error: unknown) => {
          throw failed(client, error)
        })
      }
      reached(client)
      // The pool only lends connections that it opened here.
      writable.confirm(client as PoolClient)
    },
  })
  // The borrower of a connection sees its errors. The pool replaces idle connections.
  pool.on('error', () => {})
  const statements = isPooled ? { begin: BEGIN_LIMITED, toQuery } : { begin: BEGIN, toQuery: toNamedQuery }

  /** A free connection, or a new one to the first host that can be used. */
  async function connectToAny(): Promise<PoolClient> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await pool.connect()
      } catch (error) {
        if (!(error instanceof HostFailure)) throw error
        if (attempts === hosts.count) throw failureOf(hosts.failures())
      }
    }
  }

  async function connect(): Promise<PoolClient> {
    for (;;) {
      const client = await connectToAny()
      if (writable.ageMs(client) < Infinity) return client
      client.release(true)
    }
  }

  /** Sent together with the work, if the last check is old. */
  async function confirmWritable(client: PoolClient): Promise<void> {
    if (isPooled || writable.ageMs(client) < WRITABLE_MS_MAX) return
    await checkWritable(client)
    writable.confirm(client)
  }

  async function useOnce<Result>(client: PoolClient, work: (borrowed: Borrowed) => Promise<Result>): Promise<Result> {
    try {
      const [check, outcome] = await Promise.allSettled([confirmWritable(client), work({ client, ...statements })])
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
    work: (borrowed: Borrowed) => Promise<Result>,
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
      // No connection, for example because of the certificate, password or host name.
      throw hasBegun ? toDatabaseError(error) : new DatabaseUnavailable(error)
    }
  }

  return {
    use,
    check: () => use(({ client }) => checkWritable(client), { isRepeatable: true }),
    close: () => pool.end(),
  }
}

/** Retries the work a few times while its error is temporary. */
export async function retrying<Result>(
  work: () => Promise<Result>,
  isTemporary: (error: unknown) => boolean,
): Promise<Result> {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await work()
    } catch (error) {
      if (!isTemporary(error)) throw error
      // Random, so that callers that failed together do not retry together.
      await pause(delay * (0.5 + Math.random()))
    }
  }
  return work()
}
