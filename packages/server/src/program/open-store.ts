import type { Config } from './config.ts'
import { dataFile } from './data-folder.ts'
import { DATABASE_FILE } from './find-database.ts'
import { logMigration } from './log-migration.ts'
import type { Log } from '../observe/log.ts'
import type { Meters } from '../observe/meters.ts'
import type { Database } from '../store/database.ts'
import { createSqlStore } from '../store/sql-store.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import type { Store } from '../store/store.ts'

const FINISH_OPEN =
  'the upgrade of the database is not finished; when no older server runs, run mailhatch db migrate --finish'

export type WrapDatabase = (database: Database) => Database

type StoreOptions = {
  migrationLog?: Pick<Log, 'info' | 'warn'>
  meters?: Meters | null
  wrapDatabase?: WrapDatabase | undefined
}

/** PostgreSQL if DATABASE_URL is set, else a SQLite file. */
export async function openStore(config: Config, log: Pick<Log, 'error'>, options: StoreOptions = {}): Promise<Store> {
  const onError = (error: unknown) => log.error({ err: error }, 'updating the text index failed')
  const { wrapDatabase = (database) => database } = options
  return createSqlStore(wrapDatabase(await openDatabase(config, log, options)), { onError })
}

async function openDatabase(
  config: Config,
  log: Pick<Log, 'error'>,
  { migrationLog, meters }: StoreOptions,
): Promise<Database> {
  const onMigration = migrationLog && logMigration(migrationLog)
  if (!config.databaseUrl) {
    const onCommit = (ms: number) => meters?.synced('database', ms / 1000)
    return openSqliteDatabase(dataFile(config, DATABASE_FILE), { onMigration, onCommit })
  }
  // Loaded on demand: a start on SQLite does without it.
  const { openPostgresDatabase } = await import('../store/postgres-database.ts')
  return openPostgresDatabase(config.databaseUrl, {
    directUrl: config.databaseDirectUrl,
    onHostFailure: (failure) => log.error({ err: failure }, 'a database host cannot be used, the others are'),
    onFinishOpen: () => migrationLog?.warn({}, FINISH_OPEN),
    ...(onMigration && { onMigration }),
  })
}
