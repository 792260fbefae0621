import type { Config } from './config.ts'
import { dataFile } from './data-folder.ts'
import { DATABASE_FILE } from './find-database.ts'
import type { Log } from '../observe/log.ts'
import type { Database } from '../store/database.ts'
import type { OnMigration } from '../store/migration-progress.ts'
import { createSqlStore } from '../store/sql-store.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import type { Store } from '../store/store.ts'

/** PostgreSQL if DATABASE_URL is set, else a SQLite file. */
export async function openStore(config: Config, log: Pick<Log, 'error'>, onMigration?: OnMigration): Promise<Store> {
  const onError = (error: unknown) => log.error({ err: error }, 'updating the text index failed')
  return createSqlStore(await openDatabase(config, log, onMigration), { onError })
}

async function openDatabase(config: Config, log: Pick<Log, 'error'>, onMigration?: OnMigration): Promise<Database> {
  if (!config.databaseUrl) return openSqliteDatabase(dataFile(config, DATABASE_FILE), onMigration)
  // Loaded on demand: a start on SQLite does without it.
  const { openPostgresDatabase } = await import('../store/postgres-database.ts')
  return openPostgresDatabase(config.databaseUrl, {
    directUrl: config.databaseDirectUrl,
    onHostFailure: (failure) => log.error({ err: failure }, 'a database host cannot be used, the others are'),
  })
}
