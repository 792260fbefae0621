import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { databaseUrl } from './config-values.ts'
import { AppError } from '../domain/errors.ts'
import type { DatabaseLocation } from '../store/database-status.ts'
import { nameHosts } from '../store/postgres-hosts.ts'

export const DATABASE_FILE = 'mailhatch.db'

/**
 * The settings with the database that a one-shot command works on: the one that is configured for Mailhatch, else the file
 * in DATA_DIR, else the one at DATABASE_URL if it has our tables. A command never creates or migrates one, because in the
 * wrong folder it would silently work on an empty database.
 */
export async function withExistingDatabase(config: Config): Promise<Config> {
  const found = await withDatabaseOfCommands(config)
  const location = locationOf(found)
  const { readStatus } = await databaseStatus()
  const { schema, newestSchema } = 'file' in location && !existsSync(location.file) ? NONE : await readStatus(location)
  if (schema === 0) throw new AppError('not_found', noDatabase(config))
  if (schema < newestSchema) {
    throw new AppError(
      'validation_failed',
      `The database has schema ${schema}, and this version of Mailhatch needs ${newestSchema}. Start the server, or run: mailhatch db migrate`,
    )
  }
  return found
}

/** The same choice without a check of what is there. */
export async function withDatabaseOfCommands(config: Config): Promise<Config> {
  const { dataDir, leftAlone } = config
  if (config.databaseUrl !== null || existsSync(join(dataDir, DATABASE_FILE))) return config
  const url = postgresUrl(leftAlone.DATABASE_URL)
  const directUrl = postgresUrl(leftAlone.DATABASE_DIRECT_URL)
  if (url === null) return config
  const { findTables } = await databaseStatus()
  const tables = await findTables(directUrl ?? url)
  if (tables === 'unreachable') {
    throw new Error(
      `There is no database in ${dataDir}, and the one at DATABASE_URL (${nameHosts(url)}) is unreachable.`,
    )
  }
  return tables === 'ours' ? { ...config, databaseUrl: url, databaseDirectUrl: directUrl } : config
}

/** Null if it is missing or the URL of another kind of database. */
export function postgresUrl(given: string | undefined): string | null {
  try {
    return given === undefined ? null : databaseUrl(given)
  } catch {
    return null
  }
}

/** Loaded on demand: most commands look into no database. */
export const databaseStatus = () => import('../store/database-status.ts')

const NONE = { schema: 0, newestSchema: 0 }

/** One-shot commands bypass the pooler. */
function locationOf({ dataDir, databaseUrl: url, databaseDirectUrl }: Config): DatabaseLocation {
  return url === null ? { file: join(dataDir, DATABASE_FILE) } : { url: databaseDirectUrl ?? url }
}

function noDatabase({ dataDir, databaseUrl: url, leftAlone }: Config): string {
  if (url !== null) {
    return `The database at ${nameHosts(url)} has no tables of Mailhatch. Start the server, or run: mailhatch db migrate`
  }
  const beside = leftAlone.DATABASE_URL === undefined ? '' : ', and the one at DATABASE_URL has no tables of Mailhatch'
  return `There is no Mailhatch database in ${dataDir}${beside}. Run this command where the server runs, set DATA_DIR to its data folder, or start a server first.`
}
