import { closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepDatabasePrivate } from './private-file.ts'

/** Reads and writes may wait this long for another process's write to end. */
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

/** A connection of its own, so that reads see only what is committed. */
export function openForReading(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
}

/** Makes the file durable, checks it after a crash, and lets `setUp` bring its schema up to date. */
export function prepareDatabase(path: string, setUp: (connection: DatabaseSync) => void): void {
  const isNew = !hasContent(path)
  const stoppedUncleanly = !isNew && hasContent(`${path}-wal`)
  keepDatabasePrivate(path)
  withFileNamed(path, () => {
    const connection = openForWriting(path)
    try {
      if (isNew) syncFolder(dirname(path))
      if (stoppedUncleanly) checkIntegrity(connection, path)
      // A file that may not be written is opened all the same, and only the first write would tell.
      connection.exec('begin; create table written (proof integer); rollback')
      setUp(connection)
    } finally {
      connection.close()
    }
  })
}

const UNWRITABLE = 'Let the user who runs this write there, or choose another DATA_DIR.'
const UNREADABLE = 'It is damaged, or no database at all: restore it from a backup, or move it away.'
const FULL = 'Make room on its disk, then start again.'
/** Room for its index of the write-ahead log could not be had: the disk is full. */
const SQLITE_IOERR_SHMSIZE = 4874
const SQLITE_FULL = 13
/** By SQLite's codes for a file that is read-only, damaged, cannot be opened, or is no database, and for a full disk. */
const ADVICE = new Map([
  [SQLITE_IOERR_SHMSIZE, FULL],
  [SQLITE_FULL, FULL],
  [8, UNWRITABLE],
  [11, UNREADABLE],
  [14, UNWRITABLE],
  [26, UNREADABLE],
])

/** SQLite says what is wrong, but not with which file, nor what can be done about it. */
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

/** Refuses a database that a newer Mailhatch wrote; returns the version of its schema. */
export function checkSchema(connection: DatabaseSync, newestKnown: number): number {
  const version = Number(connection.prepare('pragma user_version').get()?.['user_version'])
  if (version <= newestKnown) return version
  throw new Error(
    `The database has schema ${version}, but this Mailhatch knows only ${newestKnown}. ` +
      'Start the newer version that wrote it, or restore a backup made before the upgrade.',
  )
}

/** Out of room: the disk is full, or the database has reached its size limit. */
export function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    ('errcode' in error && [SQLITE_FULL, SQLITE_IOERR_SHMSIZE].includes(Number(error.errcode))) ||
    ('code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code)))
  )
}

/** A new file survives a power cut only once its folder's entry is on the disk. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** SQLite removes the write-ahead log when the last connection closes; a log that is left tells of a crash. */
function hasContent(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0
}

function checkIntegrity(connection: DatabaseSync, path: string): void {
  const row = connection.prepare('pragma quick_check').get()
  const verdict = row && Object.values(row)[0]
  if (verdict !== 'ok') throw new Error(`${path} is damaged: ${String(verdict)}. Restore it from a backup.`)
}
