import { join } from 'node:path'
import { DATABASE_FILE } from '../../program/find-database.ts'
import type { Config } from '../../program/config.ts'
import type { Program } from '../../program/settings.ts'
import { isLocked } from '../../sqlite/lock.ts'
import type { DatabaseLocation } from '../../store/database-status.ts'
import type { PostgresHealth } from '../../store/postgres-health.ts'
import { readSqliteHealth, type SqliteHealth } from '../../store/sqlite-health.ts'

export type ServerProgram = Exclude<Program, 'command'>

/** What is examined: the parts that one server program uses, by its settings. */
export type Installation = {
  program: ServerProgram
  config: Config
  /** Where the API should respond. */
  apiUrl: string
  /** Null for a worker, which has none. */
  database: DatabaseLocation | null
  /** One look at PostgreSQL for all checks. It rejects if the server does not respond in time. */
  postgres: () => Promise<PostgresHealth>
  /** One look at the database file. */
  sqlite: () => SqliteHealth
}

/** Connecting takes up to 5 s, and a statement up to 10 s. */
const POSTGRES_MS_MAX = 15_000
/** Statements of Mailhatch on PostgreSQL give up after waiting this long for a lock. On SQLite it is 5 s. */
export const LOCK_MS_MAX = 2_000

export function installationOf(program: ServerProgram, config: Config, apiUrl: string): Installation {
  const database = program === 'worker' ? null : locationOf(config)
  let health: Promise<PostgresHealth> | null = null
  async function look(url: string): Promise<PostgresHealth> {
    // Loaded on demand: SQLite does without the driver.
    const { readPostgresHealth } = await import('../../store/postgres-health.ts')
    return readPostgresHealth(url, AbortSignal.timeout(POSTGRES_MS_MAX))
  }
  let file: SqliteHealth | null = null
  return {
    program,
    config,
    apiUrl: program === 'worker' ? apiOfWorker(config) : apiUrl,
    database,
    postgres() {
      if (database === null || 'file' in database) throw new Error('This installation has no PostgreSQL.')
      return (health ??= look(database.url))
    },
    sqlite() {
      if (database === null || 'url' in database) throw new Error('This installation has no database file.')
      return (file ??= readSqliteHealth(database.file, { isServed: isDatabaseServed(config), lockMsMax: LOCK_MS_MAX }))
    },
  }
}

/** Past a pooler, whose connections say nothing about the locks and limits of PostgreSQL. */
function locationOf({ dataDir, databaseUrl, databaseDirectUrl }: Config): DatabaseLocation {
  const url = databaseDirectUrl ?? databaseUrl
  return url === null ? { file: join(dataDir, DATABASE_FILE) } : { url }
}

/** Without the user name and password of a proxy, which must not be printed. Empty if there is none. */
function apiOfWorker({ webhookUrl }: Config): string {
  if (webhookUrl === null) return ''
  const { origin, pathname } = new URL(webhookUrl)
  return `${origin}${pathname.replace(/\/webhooks\/inbox$/, '')}`
}

/** Whether mail arrives in this program. */
export function receivesMail({ program }: Installation): boolean {
  return program !== 'api'
}

function isDatabaseServed({ dataDir }: Config): boolean {
  return isLocked(join(dataDir, 'lock.db'))
}

/** Whether a worker uses the bucket now. */
export function isInboxServed({ dataDir }: Config): boolean {
  return isLocked(join(dataDir, 'inbox-lock.db'))
}
