import { Socket } from 'node:net'
import type { Client } from 'pg'
import { NEWEST_SCHEMA, readSchemaState } from './postgres-schema.ts'
import { connectAlone } from './postgres-session.ts'
import { isShared } from './postgres-upgrade.ts'

/** Enough to see past one slow response. */
const ROUND_TRIPS = 9

export type PostgresHealth = {
  serverVersion: string
  schema: number
  newestSchema: number
  /** The upgrade waits for `db migrate --finish`. */
  isFinishOpen: boolean
  isReadOnly: boolean
  /** Time to connect, and the median of some round trips. */
  connectMs: number
  roundTripMs: number
  /** The database's clock minus that of this machine. It may be wrong by half a round trip. */
  clockAheadMs: number
  /** Settings that decide whether a commit survives a crash. */
  durability: Record<string, string>
  locks: LockHealth
  connections: ConnectionHealth
}

export type LockHealth = {
  /** Statements that wait for a lock, and what they wait for. */
  waiting: { pid: number; waitedMs: number; heldBy: number[] }[]
  /** Sessions that keep a transaction open and do nothing. They keep its locks. */
  idle: { pid: number; idleMs: number; application: string }[]
  /** The oldest transaction that is running. */
  oldest: { pid: number; ageMs: number; application: string } | null
}

export type ConnectionHealth = { max: number; used: number; replicas: number; ofReplicas: number }

/** Looks at a PostgreSQL server and changes nothing. When the signal fires, the connection is closed at once. */
export async function readPostgresHealth(url: string, signal: AbortSignal): Promise<PostgresHealth> {
  // Our own sockets, because only a socket can be closed at once if the server does not respond.
  const sockets: Socket[] = []
  const stream = () => {
    const socket = new Socket()
    sockets.push(socket)
    return socket
  }
  const giveUp = () => {
    for (const socket of sockets) socket.destroy(new Error('The database does not respond.'))
  }
  signal.addEventListener('abort', giveUp)
  try {
    const startedAt = performance.now()
    const client = await connectAlone(url, { stream })
    const connectMs = performance.now() - startedAt
    const found = await examine(client)
    await client.end()
    return { connectMs, ...found }
  } finally {
    signal.removeEventListener('abort', giveUp)
    for (const socket of sockets) socket.destroy()
  }
}

async function examine(client: Client): Promise<Omit<PostgresHealth, 'connectMs'>> {
  const { roundTripMs, clockAheadMs } = await measure(client)
  const state = await readSchemaState(client)
  const settings = await readSettings(client)
  return {
    serverVersion: settings.get('server_version') ?? '',
    schema: state.version,
    newestSchema: NEWEST_SCHEMA,
    isFinishOpen: isShared(state),
    isReadOnly: settings.get('transaction_read_only') !== 'off',
    roundTripMs,
    clockAheadMs,
    durability: Object.fromEntries(DURABLE.map((name) => [name, settings.get(name) ?? ''])),
    locks: await readLocks(client),
    connections: await readConnections(client, settings),
  }
}

/** The clock is taken from the fastest round trip, where it is least uncertain. */
async function measure(client: Client): Promise<{ roundTripMs: number; clockAheadMs: number }> {
  const trips: { ms: number; aheadMs: number }[] = []
  for (let trip = 0; trip < ROUND_TRIPS; trip++) {
    const [sentAt, startedAt] = [Date.now(), performance.now()]
    const { rows } = await client.query<{ at: number }>('select extract(epoch from clock_timestamp()) * 1000 as at')
    const ms = performance.now() - startedAt
    trips.push({ ms, aheadMs: rows[0]!.at - (sentAt + ms / 2) })
  }
  trips.sort((one, other) => one.ms - other.ms)
  return { roundTripMs: trips[Math.floor(ROUND_TRIPS / 2)]!.ms, clockAheadMs: trips[0]!.aheadMs }
}

const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit']

async function readSettings(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings
     where name = any($1) or name like '%reserved_connections'
        or name in ('max_connections', 'server_version', 'transaction_read_only')`,
    [DURABLE],
  )
  return new Map(rows.map(({ name, setting }) => [name, setting]))
}

async function readLocks(client: Client): Promise<LockHealth> {
  const { rows: waiting } = await client.query<LockHealth['waiting'][number]>(`
    select w.pid, (extract(epoch from clock_timestamp() - min(w.waitstart)) * 1000)::bigint as "waitedMs",
           pg_blocking_pids(w.pid) as "heldBy"
    from pg_locks w join pg_stat_activity a on a.pid = w.pid
    where not w.granted and w.waitstart is not null and a.datname = current_database()
    group by w.pid
    order by 2 desc`)
  const { rows: idle } = await client.query<LockHealth['idle'][number]>(`
    select pid, (extract(epoch from clock_timestamp() - state_change) * 1000)::bigint as "idleMs",
           application_name as application
    from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'
    order by 2 desc`)
  const { rows: oldest } = await client.query<NonNullable<LockHealth['oldest']>>(`
    select pid, (extract(epoch from clock_timestamp() - xact_start) * 1000)::bigint as "ageMs",
           application_name as application
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
      and backend_type = 'client backend'
    order by 2 desc
    limit 1`)
  return { waiting, idle, oldest: oldest[0] ?? null }
}

/** Each replica has one connection whose name ends in `feed`. */
async function readConnections(client: Client, settings: Map<string, string>): Promise<ConnectionHealth> {
  const { rows } = await client.query<Omit<ConnectionHealth, 'max'>>(`
    select count(*) as used,
           count(*) filter (where application_name like 'mailhatch%') as "ofReplicas",
           count(*) filter (where application_name like 'mailhatch%feed') as replicas
    from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`)
  const reserved = Array.from(settings).filter(([name]) => name.endsWith('reserved_connections'))
  const forOthers = reserved.reduce((sum, [, count]) => sum + Number(count), 0)
  return { max: Number(settings.get('max_connections')) - forOthers, ...rows[0]! }
}
