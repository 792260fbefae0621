import { closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepDatabasePrivate } from './private-file.ts'

/** How long reads and writes wait for another process's write to finish. */
const BUSY_TIMEOUT_MS = 5_000

/** With `synchronous=FULL`, a commit has reached the disk when it returns. (`NORMAL` loses rows on a power cut.) */
export function openForWriting(path: string): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  connection.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma wal_autocheckpoint = 1000;
    pragma journal_size_limit = 67108864;
  `)
  return connection
}

/** A separate connection, so that reads see only committed rows. */
export function openForReading(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
}

/**
 * Makes the file durable, checks it after a crash, and calls `setUp` to migrate its schema. `setUp` may open a connection
 * that stays open. Otherwise, this one copies the write-ahead log into the file when it closes, and after a crash on a
 * full disk, the copy takes the room that the start needs.
 */
export function prepareDatabase<Result>(path: string, setUp: (connection: DatabaseSync) => Result): Result {
  const isNew = !hasContent(path)
  const stoppedUncleanly = !isNew && hasContent(`${path}-wal`)
  keepDatabasePrivate(path)
  return withFileNamed(path, () => {
    const connection = openForWriting(path)
    try {
      if (isNew) syncFolder(dirname(path))
      if (stoppedUncleanly) checkIntegrity(connection, path)
      // SQLite opens a read-only file without an error and fails only at the first write.
      connection.exec('begin; create table written (proof integer); rollback')
      return setUp(connection)
    } finally {
      connection.close()
    }
  })
}

const UNWRITABLE = 'Give the user who runs this program write access, or choose another DATA_DIR.'
const UNREADABLE = 'It is damaged or not a database. Restore it from a backup, or move it away.'
const FULL = 'Free some space on its disk, then start again.'
/** No space for the index of the write-ahead log: the disk is full. */
const SQLITE_IOERR_SHMSIZE = 4874
const SQLITE_FULL = 13
/** By SQLite's error code: read-only, damaged, cannot be opened, not a database, disk full. */
const ADVICE = new Map([
  [SQLITE_IOERR_SHMSIZE, FULL],
  [SQLITE_FULL, FULL],
  [8, UNWRITABLE],
  [11, UNREADABLE],
  [14, UNWRITABLE],
  [26, UNREADABLE],
])

/** Adds the file and advice to SQLite's errors, which name neither. */
export function withFileNamed<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error)) throw error
    const code = Number(error.errcode)
    const advice = ADVICE.get(code) ?? ADVICE.get(code & 0xff)
    if (!advice) throw error
    const message = advice === FULL ? 'the disk is full' : error.message
    throw Object.assign(new Error(`${path} cannot be used: ${message}. ${advice}`, { cause: error }), { errcode: code })
  }
}

/** Refuses a database written by a newer Mailhatch. Returns its schema version. */
export function checkSchema(connection: DatabaseSync, newestKnown: number): number {
  const version = Number(connection.prepare('pragma user_version').get()?.['user_version'])
  if (version <= newestKnown) return version
  throw new Error(
    `The database has schema ${version}, but this version of Mailhatch supports only ${newestKnown}. ` +
      'Start the newer version that wrote it, or restore a backup made before the upgrade.',
  )
}

/** The disk is full, or the database has reached its size limit. */
export function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    ('errcode' in error && [SQLITE_FULL, SQLITE_IOERR_SHMSIZE].includes(Number(error.errcode))) ||
    ('code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code)))
  )
}

/** A new file survives a power cut only after its folder is synced. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** SQLite deletes the write-ahead log when the last connection closes. A remaining log means a crash. */
function hasContent(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0
}

function checkIntegrity(connection: DatabaseSync, path: string): void {
  const row = connection.prepare('pragma quick_check').get()
  const result = row && Object.values(row)[0]
  if (result !== 'ok') throw new Error(`${path} is damaged: ${String(result)}. Restore it from a backup.`)
}
