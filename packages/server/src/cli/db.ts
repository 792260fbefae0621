import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { InvalidArgumentError, type Command } from 'commander'
import { dataFile } from '../program/data-folder.ts'
import { readConfig, type Config } from '../program/config.ts'
import { AppError } from '../domain/errors.ts'
import { reasonOf } from '../domain/reason.ts'
import { lockFolder } from '../sqlite/lock.ts'
import type { CopyResult } from '../store/copy-store.ts'
import type { DatabaseLocation } from '../store/database-status.ts'
import type { Distribution } from '../store/distribution.ts'
import { nameHosts, splitHosts } from '../store/postgres-hosts.ts'
import type { OnMigration } from '../store/migration-progress.ts'
import { describeCopy, describeDistribution, describeOpenFinish, describeStatus } from './describe-database.ts'
import { examples } from './examples.ts'
import { print } from './output.ts'
import { createProgress } from './progress.ts'

type JsonOption = { json?: boolean }
type MigrateOptions = JsonOption & { finish?: boolean }
type CopyOptions = JsonOption & { from: string; to?: string }

export function addDatabaseCommands(program: Command): void {
  const db = program
    .command('db')
    .description('Manage the database: DATABASE_URL if set, else the SQLite file in DATA_DIR.')

  db.command('status')
    .description('Show the database, its schema version and row counts. Changes nothing.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch db status'))
    .action(async (options: JsonOption) => {
      const place = configuredPlace()
      const { readStatus } = await loadStore()
      const status = await readStatus(place)
      print({ database: nameOf(place), ...status }, [nameOf(place), ...describeStatus(status)], options)
    })

  db.command('migrate')
    .description('Migrate the schema to the newest version. Every server start does this too.')
    .option('--finish', 'PostgreSQL: also remove what servers of the previous version need; none may run')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nOn PostgreSQL, servers of the previous version keep working until --finish.\nAn interrupted migration continues when you run the command again.\n${examples(
        'mailhatch db migrate',
        'mailhatch db migrate --finish',
      )}`,
    )
    .action(async (options: MigrateOptions) => {
      const place = configuredPlace()
      const { readStatus } = await loadStore()
      const { schema: from, newestSchema: wanted } = await readStatus(place)
      await migrate(place, { ...options, isUpToDate: from === wanted })
      const { schema: to, newestSchema, isFinishOpen } = await readStatus(place)
      const line = from === to ? `Schema ${to} is up to date.` : `Migrated the schema from ${from} to ${to}.`
      const lines = isFinishOpen ? [describeOpenFinish({ schema: to, newestSchema })] : [line]
      print({ database: nameOf(place), from, to, isFinishOpen }, lines, options)
    })

  db.command('distribute')
    .description('Spread the teams over the nodes of a Citus cluster. DATABASE_URL is its coordinator.')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nStop all servers first. Run again, the command continues with the tables that are not distributed yet.\n${examples(
        'mailhatch db distribute',
      )}`,
    )
    .action(async (options: JsonOption) => {
      const place = configuredPlace()
      const changed = await distribute(place)
      print({ database: nameOf(place), ...changed }, describeDistribution(changed), options)
    })

  db.command('copy')
    .description('Copy everything except raw mail from SQLite into an empty PostgreSQL database, and verify the copy.')
    .requiredOption(
      '--from <source>',
      'sqlite:<DATA_DIR, or the file mailhatch.db>; its server must be stopped',
      readPath,
    )
    .option('--to <url>', 'postgres://user:password@host:port/database (default: DATABASE_URL)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nAn interrupted copy continues where it stopped when you run the command again.\n${examples(
        'mailhatch db copy --from sqlite:.mailhatch --to postgres://mailhatch@localhost/mailhatch',
      )}`,
    )
    .action(async (options: CopyOptions) => {
      const result = await copy(readSource(options.from), readTarget(options.to))
      print(result, describeCopy(result), options)
    })
}

/** Loaded on demand: other commands do not need it. */
async function loadStore() {
  const [copying, status, postgres, sqlite] = await Promise.all([
    import('../store/copy-store.ts'),
    import('../store/database-status.ts'),
    import('../store/postgres-database.ts'),
    import('../store/sqlite-database.ts'),
  ])
  return { ...copying, ...status, ...postgres, ...sqlite }
}

/** Leaves connections open on failure, because the process exits then. */
async function copy(file: string, url: string): Promise<CopyResult> {
  const { copyStore, openPostgresDatabase, openSqliteDatabase } = await loadStore()
  const lock = lockFile(file)
  const progress = createProgress({ isLogged: true })
  const target = await openPostgresDatabase(url)
  const source = openSqliteDatabase(file, { onMigration: showMigration(progress) })
  const result = await copyStore({ source, target }, ({ doing, part, ...count }) =>
    progress.show({ label: `${doing} ${part}`, ...count }),
  ).finally(progress.end)
  await Promise.all([source.close(), target.close()])
  lock.release()
  return result
}

async function distribute(place: DatabaseLocation): Promise<Distribution> {
  if ('file' in place) {
    throw new AppError('validation_failed', 'Only PostgreSQL with Citus can be distributed: set DATABASE_URL.')
  }
  // Loaded on demand: other commands do not need it.
  const distribution = await import('../store/distribution.ts')
  const progress = createProgress({ isLogged: true })
  return distribution
    .distribute(place.url, ({ table, ...count }) => progress.show({ label: `distributed ${table}`, ...count }))
    .finally(progress.end)
}

/** A server would go on with tables that it does not know, or write what is not copied. */
function lockFile(file: string): { release(): void } {
  try {
    return lockFolder(join(dirname(file), 'lock.db'), 'The database')
  } catch (error) {
    throw new Error(`A Mailhatch server is using ${file}. Stop it and run this command again.`, { cause: error })
  }
}

function readPath(given: string): string {
  if (!given.startsWith('sqlite:')) throw new InvalidArgumentError('Expected sqlite:<DATA_DIR, or the file in it>.')
  return resolve(given.slice('sqlite:'.length))
}

function readSource(path: string): string {
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'mailhatch.db') : path
  if (!existsSync(file)) throw new AppError('not_found', `--from: there is no database at ${file}.`)
  return file
}

function readTarget(given: string | undefined): string {
  const url = given ?? directUrl(readConfig('api'))
  if (url === null) throw new AppError('validation_failed', 'No target: pass --to postgres://…, or set DATABASE_URL.')
  try {
    splitHosts(url)
  } catch (error) {
    throw new AppError('validation_failed', `--to ${reasonOf(error)}.`)
  }
  return url
}

function configuredPlace(): DatabaseLocation {
  const config = readConfig('api')
  const url = directUrl(config)
  return url ? { url } : { file: join(config.dataDir, 'mailhatch.db') }
}

/** One-shot commands bypass the pooler. */
function directUrl({ databaseUrl: pooled, databaseDirectUrl }: Config): string | null {
  return databaseDirectUrl ?? pooled
}

async function migrate(
  place: DatabaseLocation,
  { finish = false, isUpToDate }: MigrateOptions & { isUpToDate: boolean },
): Promise<void> {
  const { openPostgresDatabase, openSqliteDatabase } = await loadStore()
  const progress = createProgress({ isLogged: true })
  const onMigration = showMigration(progress)
  // Creates the folder of a new installation.
  const file = 'url' in place ? null : dataFile(readConfig('api'), 'mailhatch.db')
  const lock = file === null || isUpToDate ? null : lockFile(file)
  try {
    const database =
      'url' in place
        ? await openPostgresDatabase(place.url, { onMigration, isFinish: finish })
        : openSqliteDatabase(place.file, { onMigration })
    await database.close()
  } finally {
    progress.end()
    lock?.release()
  }
}

function showMigration(progress: ReturnType<typeof createProgress>): OnMigration {
  return ({ table, ...count }) => progress.show({ label: `migrating ${table}`, ...count })
}

/** Without the password. */
function nameOf(place: DatabaseLocation): string {
  if ('file' in place) return `sqlite:${place.file}`
  const { protocol, username, pathname } = new URL(splitHosts(place.url)[0])
  return `${protocol}//${username === '' ? '' : `${username}@`}${nameHosts(place.url)}${pathname}`
}
