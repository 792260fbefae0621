import { existsSync } from 'node:fs'
import { reasonOf } from '../../domain/reason.ts'
import { CONNECTIONS_PER_REPLICA } from '../../store/postgres-database.ts'
import type { PostgresHealth } from '../../store/postgres-health.ts'
import { nameHosts } from '../../store/postgres-hosts.ts'
import type { SqliteHealth } from '../../store/sqlite-health.ts'
import { countOf } from '../count-of.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'
import { sizeText } from '../human.ts'
import { LOCK_MS_MAX, type Installation } from './installation.ts'

/** A message needs two or three round trips, within 8 s. */
const SLOW_ROUND_TRIP_MS = 50
/** Transactions of Mailhatch never wait for the program, so an idle one is not ours. */
const IDLE_MS_MAX = 1_000
/** Longer ones keep PostgreSQL from reusing the room of deleted rows. */
const OLD_TRANSACTION_MS = 10 * 60_000
/** Four times the size that SQLite cuts the log to. A reader that never ends keeps it growing. */
const LOG_BYTES_MAX = 256 * 1024 * 1024

const UNREACHABLE = 'not checked: the database does not respond'

type OnDatabase = {
  sqlite: (health: SqliteHealth, file: string) => Finding
  postgres: (health: PostgresHealth) => Finding
}

export async function checkDatabase(installation: Installation): Promise<Finding> {
  const { database, postgres, sqlite } = installation
  if (database === null) return skip('a worker has no database')
  if ('file' in database) {
    if (!existsSync(database.file)) return skip(`${database.file} does not exist yet: the first start creates it`)
    return judgeSqlite(sqlite(), database.file)
  }
  try {
    return judgePostgres(await postgres(), nameHosts(database.url))
  } catch (error) {
    return fail(`PostgreSQL at ${nameHosts(database.url)}: ${reasonOf(error)}`, 'Check DATABASE_URL and the server.')
  }
}

export const checkCommits = (installation: Installation) =>
  onDatabase(installation, { sqlite: judgeSqliteCommits, postgres: judgeCommits })

export const checkLocks = (installation: Installation) =>
  onDatabase(installation, { sqlite: judgeSqliteLock, postgres: judgeLocks })

export const checkConnections = (installation: Installation) =>
  onDatabase(installation, {
    sqlite: () => skip('SQLite has no limit of connections'),
    postgres: (health) => judgeConnections(health, installation.config.databaseDirectUrl !== null),
  })

async function onDatabase(installation: Installation, judge: OnDatabase): Promise<Finding> {
  const { database, postgres, sqlite } = installation
  if (database === null) return skip('a worker has no database')
  if ('url' in database) return postgres().then(judge.postgres, () => skip(UNREACHABLE))
  if (!existsSync(database.file)) return skip('not checked: there is no database yet')
  return judge.sqlite(sqlite(), database.file)
}

function judgeSqlite({ schema, newestSchema, readMs, logBytes }: SqliteHealth, file: string): Finding {
  const figures = { schema, newestSchema, readMs: round(readMs), logBytes }
  const says = `${file}, a read takes ${figures.readMs} ms, the write-ahead log has ${sizeText(logBytes)}`
  const problem = judgeSchema({ schema, newestSchema, says, figures })
  if (problem) return problem
  if (logBytes <= LOG_BYTES_MAX) return ok(`${says}, schema ${schema}`, figures)
  return warn(says, 'Another process reads without an end, such as a copy or a replication: end it.', figures)
}

function judgePostgres(health: PostgresHealth, hosts: string): Finding {
  const { schema, newestSchema, isFinishOpen, isReadOnly, connectMs, roundTripMs, serverVersion } = health
  const figures = { schema, newestSchema, connectMs: round(connectMs), roundTripMs: round(roundTripMs) }
  const says = `PostgreSQL ${serverVersion} at ${hosts}, a round trip takes ${figures.roundTripMs} ms`
  if (isReadOnly) return fail(`${says}; it is read-only`, 'Use the address of the primary.', figures)
  if (isFinishOpen) {
    const advice = 'When no older server runs, run mailhatch db migrate --finish.'
    return warn(`${says}; the upgrade to schema ${newestSchema} is not finished`, advice, figures)
  }
  const problem = judgeSchema({ schema, newestSchema, says, figures })
  if (problem) return problem
  if (roundTripMs <= SLOW_ROUND_TRIP_MS) return ok(`${says}, schema ${schema}`, figures)
  return warn(says, 'Run the API in the same region as the database.', figures)
}

type Schemas = { schema: number; newestSchema: number; says: string; figures: Record<string, number> }

/** Null if this version can use the schema as it is. */
function judgeSchema({ schema, newestSchema, says, figures }: Schemas): Finding | null {
  if (schema === newestSchema) return null
  if (schema > newestSchema) {
    const advice = 'Start the version that wrote it, or restore a backup made before the upgrade.'
    return fail(`${says}; schema ${schema} is newer than this version supports (${newestSchema})`, advice, figures)
  }
  const advice = 'The next start migrates it, or run mailhatch db migrate. Make a backup first.'
  return warn(`${says}; schema ${schema}, and this version needs ${newestSchema}`, advice, figures)
}

function judgeSqliteCommits({ journalMode, synchronous }: SqliteHealth): Finding {
  const says = `journal_mode=${journalMode}${synchronous === null ? '' : `, synchronous=${synchronous}`}`
  if (journalMode !== 'wal') return warn(says, 'Another program changed the mode. The next start sets it to wal.')
  if (synchronous === null) return ok(`${says}, and the server sets synchronous=full`)
  return synchronous >= 2
    ? ok(`commits survive a power cut: ${says} (full)`)
    : fail(says, 'Commits may be lost in a power cut.')
}

function judgeCommits({ durability }: PostgresHealth): Finding {
  const says = Object.entries(durability)
    .map(([name, setting]) => `${name}=${setting}`)
    .join(', ')
  const off = Object.keys(durability).filter((name) => durability[name] === 'off')
  if (off.length === 0) return ok(`commits survive a crash: ${says}`)
  return fail(
    `accepted mail could be lost in a crash: ${says}`,
    `Turn ${off.join(', ')} on, for the server, the database and the user. The API does not start otherwise.`,
  )
}

function judgeSqliteLock({ lock }: SqliteHealth, file: string): Finding {
  if (lock.state === 'not tried')
    return skip('not tried: the file was not closed cleanly, and the next start checks it')
  const figures = { waitedMs: round(lock.waitedMs) }
  if (lock.state === 'free') return ok(`the lock for writing was free after ${figures.waitedMs} ms`, figures)
  return fail(
    `another process holds the lock for writing for more than ${LOCK_MS_MAX / 1000} s`,
    `End it: fuser -v ${file} lists the processes. Writes fail after 5 s.`,
    figures,
  )
}

function judgeLocks({ locks: { waiting, idle, oldest } }: PostgresHealth): Finding {
  const [longest] = waiting
  const idleLong = idle.filter(({ idleMs }) => idleMs > IDLE_MS_MAX)
  const figures = { waiting: waiting.length, idleInTransaction: idleLong.length, oldestMs: oldest?.ageMs ?? 0 }
  if (longest && longest.waitedMs > LOCK_MS_MAX) {
    const says = `process ${longest.pid} has waited ${seconds(longest.waitedMs)} for a lock that ${longest.heldBy.join(', ')} holds`
    return fail(says, endWith(longest.heldBy[0]), figures)
  }
  if (idleLong.length > 0) {
    const { pid, idleMs, application } = idleLong[0]!
    const says = `process ${pid} (${application || 'no name'}) has been idle in a transaction for ${seconds(idleMs)} and keeps its locks`
    return warn(says, endWith(pid), figures)
  }
  if (oldest && oldest.ageMs > OLD_TRANSACTION_MS) {
    const says = `the oldest transaction is ${seconds(oldest.ageMs)} old (process ${oldest.pid}, ${oldest.application || 'no name'})`
    return warn(says, 'A backup ends by itself. Otherwise it keeps room from being reused.', figures)
  }
  return ok(`${countOf(waiting.length, 'statement')} waiting for locks, none for long`, figures)
}

function endWith(pid: number | undefined): string {
  return `See what it does in pg_stat_activity. To end it: select pg_terminate_backend(${pid ?? 'pid'}).`
}

/** Every running replica may open all its connections, and a rolling restart adds one more replica. */
function judgeConnections({ connections }: PostgresHealth, isPooled: boolean): Finding {
  const { max, used, replicas, ofReplicas } = connections
  const free = max - used
  // Behind a pooler, only the connection for notifications and that of a migration are direct.
  const perReplica = isPooled ? 2 : CONNECTIONS_PER_REPLICA
  const needed = Math.max(0, replicas * perReplica - ofReplicas) + perReplica
  const figures = { max, used, free, needed, replicas }
  const says = `${free} of ${max} connections are free; ${countOf(replicas, 'replica')} and one more may need ${needed}`
  if (free >= needed) return ok(says, figures)
  return warn(says, 'Raise max_connections, or use PgBouncer (docs/operate/deploy.md).', figures)
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
