import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import type { Command } from 'commander'
import { readConfig, type Config } from '../config.ts'
import { AppError } from '../domain/errors.ts'
import { openForReading, syncFolder } from '../sqlite/connection.ts'
import { examples } from './examples.ts'
import { print, type JsonOption } from './output.ts'
import { createProgress } from './progress.ts'

/** Small files without which a copy could not be used: what is sealed in the database opens only with the secrets. */
const SECRETS = ['secrets.json', 'api-key']
/** Pages that are copied before others get a turn. */
const PAGES_AT_ONCE = 1_000
/** One takes some microseconds, and a write some hundred. */
const SNAPSHOT_TRIES = 1_000

type BackupOptions = JsonOption & { to: string; yes?: boolean }

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('Copy the databases and secrets of DATA_DIR to a folder, while the server runs.')
    .requiredOption('--to <folder>', 'where to; to restore it, start with DATA_DIR=<folder>')
    .option('--yes', 'replace what is there')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nThe folder holds keys: keep it as safe as the original. PostgreSQL and S3 have backups of their own.\n${examples(
        'mailhatch backup --to backup-monday',
      )}`,
    )
    .action(async ({ to, yes = false, ...options }: BackupOptions) => {
      const config = readConfig('serve')
      const databases = databasesOf(config)
      const target = resolve(to)
      if (existsSync(target) && !yes) {
        throw new AppError(
          'validation_failed',
          `${target} is there already. Choose another folder, or add --yes to replace it.`,
        )
      }
      const bytes = await copyWhole(config.dataDir, databases, target)
      print(
        { folder: target, databases, bytes },
        [
          `Copied ${databases.join(' and ')} of ${config.dataDir} to ${target}, ${bytes} bytes.`,
          ...(config.databaseUrl === null ? [] : ['Messages are in PostgreSQL: copy them with pg_dump.']),
        ],
        options,
      )
    })
}

function databasesOf({ dataDir, databaseUrl }: Config): string[] {
  const wanted = databaseUrl === null ? ['inbox.db', 'mailhatch.db'] : ['inbox.db']
  const found = wanted.filter((name) => existsSync(join(dataDir, name)))
  if (found.length > 0) return found
  throw new AppError(
    'not_found',
    databaseUrl === null
      ? `There is no database in ${dataDir}. Is DATA_DIR right?`
      : 'Messages are in PostgreSQL: copy them with pg_dump. There is no raw mail in DATA_DIR to copy.',
  )
}

/** The folder appears under its name when all of it is there. */
async function copyWhole(dataDir: string, databases: string[], target: string): Promise<number> {
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  const connections = openSnapshots(databases.map((name) => join(dataDir, name)))
  const progress = createProgress()
  try {
    for (const [index, name] of databases.entries()) {
      await backup(connections[index]!, join(unfinished, name), {
        rate: PAGES_AT_ONCE,
        progress: ({ totalPages, remainingPages }) =>
          progress.show({ label: `copying ${name}`, done: totalPages - remainingPages, total: totalPages }),
      })
    }
  } finally {
    progress.end()
    for (const connection of connections) connection.close()
  }
  const secrets = SECRETS.filter((name) => existsSync(join(dataDir, name)))
  for (const name of secrets) copyFileSync(join(dataDir, name), join(unfinished, name))
  const names = [...databases, ...secrets]
  for (const name of names) chmodSync(join(unfinished, name), 0o600)
  syncFolder(unfinished)
  rmSync(target, { recursive: true, force: true })
  renameSync(unfinished, target)
  return names.reduce((sum, name) => sum + statSync(join(target, name)).size, 0)
}

/**
 * Opens the databases as they all were at one moment; what is written later is not seen. A message has a row in one and
 * its raw mail in the other, so that nothing may be written to any while the moments are taken.
 */
function openSnapshots(paths: string[]): DatabaseSync[] {
  const connections = paths.map(openForReading)
  const watchers = paths.map(openForReading)
  const versions = () =>
    watchers.map((watcher) => Number(watcher.prepare('pragma data_version').get()!['data_version']))
  try {
    for (let tries = 0; tries < SNAPSHOT_TRIES; tries++) {
      const before = versions()
      for (const connection of connections) connection.exec('begin; select count(*) from sqlite_schema')
      if (versions().every((version, index) => version === before[index])) return connections
      for (const connection of connections) connection.exec('rollback')
    }
  } finally {
    for (const watcher of watchers) watcher.close()
  }
  throw new AppError('server_busy', 'The server writes too much at the moment. Try again.')
}
