import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { dataFile } from '../assemble.ts'
import { databaseUrl } from '../config-values.ts'
import { readConfig, type Config } from '../config.ts'
import { AppError } from '../domain/errors.ts'
import { lockFolder } from '../sqlite/lock.ts'
import { copyStore, type CopyResult } from '../store/copy-store.ts'
import { readStatus, type DatabasePlace, type DatabaseStatus } from '../store/database-status.ts'
import { openPostgresDatabase } from '../store/postgres-database.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import { examples } from './examples.ts'
import { print } from './output.ts'
import { createProgress } from './progress.ts'

type JsonOption = { json?: boolean }
type CopyOptions = JsonOption & { from: string; to?: string }

export function addDatabaseCommands(program: Command): void {
  const db = program
    .command('db')
    .description('The database: DATABASE_URL if it is set, else the SQLite file in DATA_DIR.')

  db.command('status')
    .description('Show which database it is, its schema, and what is in it; changes nothing.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch db status'))
    .action(async (options: JsonOption) => {
      const place = configuredPlace()
      const status = await readStatus(place)
      print({ database: nameOf(place), ...status }, [nameOf(place), ...describe(status)], options)
    })

  db.command('migrate')
    .description('Bring the schema up to date, as every start does by itself.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch db migrate'))
    .action(async (options: JsonOption) => {
      const place = configuredPlace()
      const { schema: from } = await readStatus(place)
      await (await open(place)).close()
      const { schema: to } = await readStatus(place)
      const line = from === to ? `Schema ${to} is up to date.` : `Brought the schema from ${from} to ${to}.`
      print({ database: nameOf(place), from, to }, [line], options)
    })

  db.command('copy')
    .description('Copy everything but raw mail from a SQLite file into an empty PostgreSQL, and compare both.')
    .requiredOption('--from <place>', 'sqlite:<DATA_DIR, or the file mailhatch.db>; must not be served meanwhile')
    .option('--to <url>', 'postgres://user:password@host:port/database (default: DATABASE_URL)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nRun again after an interruption, it goes on where it stopped.\n${examples(
        'mailhatch db copy --from sqlite:.mailhatch --to postgres://mailhatch@localhost/mailhatch',
      )}`,
    )
    .action(async (options: CopyOptions) => {
      const result = await copy(readSource(options.from), readTarget(options.to))
      print(result, describeCopy(result), options)
    })
}

/** Where it fails, the process ends, and with it all that is open here. */
async function copy(file: string, url: string): Promise<CopyResult> {
  const lock = lockSource(file)
  const target = await openPostgresDatabase(url)
  const source = openSqliteDatabase(file)
  const progress = createProgress({ isLogged: true })
  const result = await copyStore({ source, target }, ({ doing, part, ...count }) =>
    progress.show({ label: `${doing} ${part}`, ...count }),
  ).finally(progress.end)
  await Promise.all([source.close(), target.close()])
  lock.release()
  return result
}

function lockSource(file: string): { release(): void } {
  try {
    return lockFolder(join(dirname(file), 'lock.db'), 'The source')
  } catch (error) {
    throw new Error(
      `A Mailhatch is serving ${file}. Stop it, so that nothing changes while it is copied, and run this again.`,
      { cause: error },
    )
  }
}

function readSource(given: string): string {
  const path = given.startsWith('sqlite:') ? resolve(given.slice('sqlite:'.length)) : null
  if (path === null) throw new AppError('validation_failed', '--from takes sqlite:<DATA_DIR, or the file in it>.')
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'mailhatch.db') : path
  if (!existsSync(file)) throw new AppError('validation_failed', `--from: there is no database at ${file}.`)
  return file
}

function readTarget(given: string | undefined): string {
  const url = given ?? directUrl(readConfig('api'))
  if (url === null) throw new AppError('validation_failed', 'Say where to with --to postgres://…, or DATABASE_URL.')
  try {
    return databaseUrl(url)
  } catch {
    throw new AppError('validation_failed', '--to takes postgres://user:password@host:port/database.')
  }
}

function configuredPlace(): DatabasePlace {
  const config = readConfig('api')
  const url = directUrl(config)
  return url ? { url } : { file: join(config.dataDir, 'mailhatch.db') }
}

/** One-shot commands bypass the pooler. */
function directUrl({ databaseUrl: pooled, databaseDirectUrl }: Config): string | null {
  return databaseDirectUrl ?? pooled
}

async function open(place: DatabasePlace) {
  return 'url' in place
    ? openPostgresDatabase(place.url)
    : openSqliteDatabase(dataFile(readConfig('api'), 'mailhatch.db'))
}

/** Without the password. */
function nameOf(place: DatabasePlace): string {
  if ('file' in place) return `sqlite:${place.file}`
  const { protocol, username, host, pathname } = new URL(place.url)
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
}

function describe({ schema, newestSchema, counts }: DatabaseStatus): string[] {
  if (schema === 0)
    return [`not set up yet; the first start, or mailhatch db migrate, brings it to schema ${newestSchema}`]
  if (schema < newestSchema) return [`schema ${schema}; mailhatch db migrate brings it to ${newestSchema}`]
  if (counts === null) return [`schema ${schema}, of a newer Mailhatch: this one knows ${newestSchema}`]
  const { teams, mailboxes, keys, messages, missing, unindexed } = counts
  const lines = [
    `schema ${schema}, up to date`,
    `${teams} teams, ${mailboxes} mailboxes, ${keys} keys, ${messages} messages`,
  ]
  // Keys come last in a copy: what has messages and no key is not whole.
  if (keys === 0 && messages + missing > 0) {
    const left = missing > 0 ? `, ${missing} messages are missing` : ''
    return [...lines, `incomplete: no keys yet${left}; if a copy was interrupted, run mailhatch db copy again`]
  }
  return [...lines, unindexed === 0 ? 'text index up to date' : `text index: ${unindexed} messages still to come`]
}

function describeCopy({ copied, digests }: CopyResult): string[] {
  const parts = Object.entries(copied).filter(([, count]) => count > 0)
  const rows = digests.reduce((sum, digest) => sum + digest.rows, 0)
  return [
    parts.length === 0
      ? 'Nothing was left to copy.'
      : `Copied ${parts.map(([part, count]) => `${count} ${part}`).join(', ')}.`,
    `Both sides hold the same ${rows} rows.`,
    'Raw mail is not in this database. In S3 or a folder, it stays where it is: keep INBOX_STORAGE as it was.',
    'Without INBOX_STORAGE it is in inbox.db, which stays with its worker: give the API WORKER_URL and ADMIN_TOKEN.',
  ]
}
