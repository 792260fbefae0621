import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { APPLICATION_NAME } from '../store/postgres-schema.ts'

const CHANNEL = 'mailhatch'
/** Together with the response timeout, a dead connection is noticed within 4 s. */
const CHECK_EVERY_MS = 2_000
const RESPONSE_MS_MAX = 2_000
const CONNECT_MS_MAX = 5_000
/** A restarting database is back within seconds. During a longer outage, retry less often. */
const PAUSE_MS_MIN = 100
const PAUSE_MS_MAX = 2_000
const PREPARE = [
  // If this machine disappears without closing the connection, the server releases its locks within a minute.
  'set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3',
  // A notification is lost in a crash anyway, so it need not wait for the disk. What it announces is committed before.
  'set synchronous_commit = off',
].join('; ')

export type FeedConnection = {
  /** Null while disconnected. */
  query<Row extends object>(text: string, values: unknown[]): Promise<Row[] | null>
  close(): Promise<void>
}

type Options = {
  url: string
  /** Called after every connect, once notifications arrive. */
  onConnected: () => void
  onNotification: (payload: string) => void
  /** Called once per lost connection, not for every failed attempt to reconnect. */
  onError: (error: unknown) => void
}

/** A connection that listens for notifications, is checked regularly, and reconnects automatically. */
export function keepConnected({ url, onConnected, onNotification, onError }: Options): FeedConnection {
  const closing = new AbortController()
  let open: Connection | null = null
  const running = run()

  async function run(): Promise<void> {
    let failures = 0
    while (!closing.signal.aborted) {
      const connection = connect(url, onNotification)
      try {
        await connection.ready
        open = connection
        failures = 0
        onConnected()
        await connection.over
      } catch (error) {
        if (failures === 0 && !closing.signal.aborted) onError(error)
      }
      open = null
      connection.destroy()
      const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** failures)
      failures++
      await pause(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  const checks = setInterval(() => {
    // A failed check closes the connection, and `run` reports that.
    open?.check().catch(() => {})
  }, CHECK_EVERY_MS).unref()

  return {
    async query<Row extends object>(text: string, values: unknown[]) {
      return open ? open.query<Row>(text, values) : null
    },
    async close() {
      clearInterval(checks)
      closing.abort()
      open?.destroy()
      await running
    },
  }
}

type Connection = ReturnType<typeof connect>

function connect(url: string, onNotification: (payload: string) => void) {
  // Our own socket, because only a socket can be closed at once if the server does not respond.
  const socket = new Socket()
  const client = new pg.Client({
    connectionString: url,
    application_name: `${APPLICATION_NAME} feed`,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    stream: () => socket,
    // A notification need not wait for the response to another query.
    pipeline: true,
  })
  client.on('notification', ({ payload }) => onNotification(payload ?? ''))
  const over = new Promise<never>((_, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('The connection has ended.')))
  })
  // The connection may end before `run` awaits it.
  over.catch(() => {})

  async function query<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    const deadline = setTimeout(() => socket.destroy(new Error('The database does not respond.')), RESPONSE_MS_MAX)
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      clearTimeout(deadline)
    }
  }

  /** After a failover the old server is read-only, and the other replicas have moved on. */
  async function check(): Promise<void> {
    const [row] = await query<{ transaction_read_only: string }>('show transaction_read_only', [])
    if (row?.transaction_read_only !== 'off') socket.destroy(new Error('The database is read-only.'))
  }

  async function start(): Promise<void> {
    await client.connect()
    await check()
    await query(`${PREPARE}; listen ${CHANNEL}`, [])
  }

  return { ready: start(), over, query, check, destroy: () => void socket.destroy() }
}

/** Sends one notification per payload in one statement. */
export const NOTIFY = `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) as payload`
