import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const CHANNEL = 'mailhatch'
/** With the time for an answer, a connection that died without a word is noticed within 4 s. */
const CHECK_EVERY_MS = 2_000
const ANSWER_MS_MAX = 2_000
const CONNECT_MS_MAX = 5_000
/** A database that restarts is back within seconds; one that is away for longer is not to be bothered. */
const PAUSE_MS_MIN = 100
const PAUSE_MS_MAX = 2_000
// What the server holds for us it holds for a minute at most when this machine has gone without a word.
const PREPARE = `set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3`

export type FeedConnection = {
  /** Null while there is no connection. */
  ask<Row extends object>(text: string, values: unknown[]): Promise<Row[] | null>
  close(): Promise<void>
}

type Options = {
  url: string
  /** Each time it is connected and hears from now on. */
  onConnected: () => void
  onNotification: (payload: string) => void
  /** Told once when a connection is lost, not again at every try to get it back. */
  onTrouble: (error: unknown) => void
}

/** A connection that listens, is looked after, and comes back by itself. */
export function keepConnected({ url, onConnected, onNotification, onTrouble }: Options): FeedConnection {
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
        if (failures === 0 && !closing.signal.aborted) onTrouble(error)
      }
      open = null
      connection.destroy()
      const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** failures)
      failures++
      await pause(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  const checks = setInterval(() => {
    // One that fails has ended the connection, and that is told there.
    open?.check().catch(() => {})
  }, CHECK_EVERY_MS).unref()

  return {
    async ask<Row extends object>(text: string, values: unknown[]) {
      return open ? open.ask<Row>(text, values) : null
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
  // Our own, because only a socket can be ended at once, whatever the other side does.
  const socket = new Socket()
  const client = new pg.Client({
    connectionString: url,
    application_name: 'mailhatch feed',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    stream: () => socket,
  })
  client.on('notification', ({ payload }) => onNotification(payload ?? ''))
  const over = new Promise<never>((_, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('The connection has ended.')))
  })
  // It may end before anybody waits for its end.
  over.catch(() => {})

  async function ask<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    const deadline = setTimeout(() => socket.destroy(new Error('The database does not answer.')), ANSWER_MS_MAX)
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      clearTimeout(deadline)
    }
  }

  /** Where the address once led, the others no longer are: the server there takes no writes. */
  async function check(): Promise<void> {
    const [row] = await ask<{ transaction_read_only: string }>('show transaction_read_only', [])
    if (row?.transaction_read_only !== 'off') socket.destroy(new Error('The database is read-only.'))
  }

  async function start(): Promise<void> {
    await client.connect()
    await check()
    await ask(`${PREPARE}; listen ${CHANNEL}`, [])
  }

  return { ready: start(), over, ask, check, destroy: () => void socket.destroy() }
}

/** The statement that tells the others: as many notifications as there are payloads, in one. */
export const NOTIFY = `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) as payload`
