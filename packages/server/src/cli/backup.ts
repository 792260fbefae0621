import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import type { Command } from 'commander'
import { readConfig, type Config } from '../program/config.ts'
import { DATABASE_FILE, withDatabaseOfCommands } from '../program/find-database.ts'
import { writePrivately } from '../program/key-file.ts'
import { AppError } from '../domain/errors.ts'
import { openForReading, syncFolder } from '../sqlite/connection.ts'
import { examples } from './examples.ts'
import { sizeText } from './human.ts'
import { print, type JsonOption } from './output.ts'
import { createProgress } from './progress.ts'

/** Files that a backup needs to be usable: the secrets decrypt values in the database. */
const SECRETS = ['secrets.json', 'api-key']
/** Pages to copy before the event loop gets a turn. */
const PAGES_AT_ONCE = 1_000
/** An attempt takes microseconds and a write about a hundred, so one soon falls between two writes. */
const SNAPSHOT_TRIES = 1_000

type BackupOptions = JsonOption & { to: string; yes?: boolean; bucketOnly?: boolean }

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('Copy the databases and secrets in DATA_DIR to a folder. The server may be running.')
    .requiredOption('--to <folder>', 'target folder; to restore, start the server with DATA_DIR=<folder>')
    .option('--yes', 'replace the folder if it exists')
    .option('--bucket-only', 'copy only raw mail and secrets; required with PostgreSQL')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nThe folder contains secrets: protect it like the original. PostgreSQL and S3 need their own backups.\n${examples(
        'mailhatch backup --to backup-monday',
      )}`,
    )
    .action(async ({ to, yes = false, bucketOnly = false, ...options }: BackupOptions) => {
      const given = readConfig('serve')
      const config = bucketOnly ? given : await withDatabaseOfCommands(given)
      if (config.databaseUrl !== null && !bucketOnly) {
        throw new AppError(
          'validation_failed',
          `${IN_POSTGRES} To copy only the raw mail and secrets in DATA_DIR, add --bucket-only.`,
        )
      }
      const databases = databasesOf(config, bucketOnly)
      const target = resolve(to)
      if (existsSync(target) && !yes) {
        throw new AppError(
          'validation_failed',
          `${target} already exists. Choose another folder, or add --yes to replace it.`,
        )
      }
      const bytes = await copyWhole(config.dataDir, databases, target)
      const notContained = findNotContained(config, bucketOnly)
      print(
        { folder: target, databases, bytes, notContained },
        [`Copied ${databases.join(' and ')} from ${config.dataDir} to ${target}, ${sizeText(bytes)}.`, ...notContained],
        options,
      )
    })
}

const IN_POSTGRES = 'Messages, teams, users and keys are in PostgreSQL and are not part of this backup: use pg_dump.'

/** A sentence for each part of the installation that the backup does not contain. */
function findNotContained({ dataDir, databaseUrl, storage }: Config, bucketOnly: boolean): string[] {
  const sentences: string[] = []
  if (databaseUrl !== null) sentences.push(IN_POSTGRES)
  else if (bucketOnly) sentences.push(`Messages, teams, users and keys in ${dataDir} were left out.`)
  if (storage?.kind === 'folder')
    sentences.push(`Raw mail is in ${storage.path} and is not part of this backup: copy that folder.`)
  if (storage?.kind === 's3')
    sentences.push(
      `Raw mail is in the bucket ${storage.location.bucket} and is not part of this backup: use the storage’s own backup.`,
    )
  return sentences
}

function databasesOf(config: Config, bucketOnly: boolean): string[] {
  const { dataDir, databaseUrl, storage } = config
  const wanted = [...(storage === null ? ['inbox.db'] : []), ...(bucketOnly || databaseUrl ? [] : [DATABASE_FILE])]
  const found = wanted.filter((name) => existsSync(join(dataDir, name)))
  if (found.length > 0) return found
  const reason = bucketOnly ? 'There is no raw mail' : 'There is no database'
  throw new AppError(
    'not_found',
    [`${reason} in ${dataDir}. Check DATA_DIR.`, ...findNotContained(config, bucketOnly)].join(' '),
  )
}

/** The target folder gets its final name only when the copy is complete, and a power cut cannot take that back. */
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
  for (const name of secrets) await writePrivately(join(unfinished, name), readFileSync(join(dataDir, name), 'utf8'))
  // SQLite has synced their content.
  for (const name of databases) chmodSync(join(unfinished, name), 0o600)
  syncFolder(unfinished)
  rmSync(target, { recursive: true, force: true })
  renameSync(unfinished, target)
  syncFolder(dirname(target))
  return [...databases, ...secrets].reduce((sum, name) => sum + statSync(join(target, name)).size, 0)
}

/**
 * Opens snapshots of all databases at the same moment. A message has a row in one database and its raw mail in the other,
 * so no write may happen between the snapshots; if one does, it tries again.
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
  throw new AppError('server_busy', 'The server is too busy for a consistent snapshot. Try again later.')
}
