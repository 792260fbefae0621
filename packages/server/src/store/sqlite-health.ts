import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { openForReading, openForWriting } from '../sqlite/connection.ts'
import { NEWEST_SCHEMA } from './sqlite-migrations.ts'

/** SQLite's code for a database that another connection has locked. */
const SQLITE_BUSY = 5

export type SqliteHealth = {
  schema: number
  newestSchema: number
  journalMode: string
  /** The value of a connection that writes: 2 is `full`. Null if it was not asked. */
  synchronous: number | null
  /** Time of one read. */
  readMs: number
  /** Size of the write-ahead log. */
  logBytes: number
  lock: WriteLock
}

/** `not tried`: a file that was not closed cleanly is left as it is, because the next start checks it. */
export type WriteLock =
  | { state: 'free'; waitedMs: number }
  | { state: 'busy'; waitedMs: number }
  | { state: 'not tried' }

/** Looks at a SQLite database and changes nothing. It may be in use by a server. */
export function readSqliteHealth(
  path: string,
  { isServed, lockMsMax }: { isServed: boolean; lockMsMax: number },
): SqliteHealth {
  const logBytes = sizeOf(`${path}-wal`)
  const reader = openForReading(path)
  let read
  try {
    const startedAt = performance.now()
    const schema = Number(valueOf(reader, 'user_version'))
    read = { schema, journalMode: String(valueOf(reader, 'journal_mode')), readMs: performance.now() - startedAt }
  } finally {
    reader.close()
  }
  const wasCutOff = !isServed && logBytes > 0
  // The last writable connection that closes copies the log into the file, and the start after a crash would not see it.
  if (wasCutOff || read.journalMode !== 'wal') {
    return { ...read, newestSchema: NEWEST_SCHEMA, synchronous: null, logBytes, lock: { state: 'not tried' } }
  }
  const lock = tryLock(path, lockMsMax)
  return { ...read, newestSchema: NEWEST_SCHEMA, synchronous: synchronousOf(path), logBytes, lock }
}

/** Takes the lock that every write needs, and releases it. */
function tryLock(path: string, msMax: number): WriteLock {
  const connection = new DatabaseSync(path, { timeout: msMax })
  const startedAt = performance.now()
  try {
    connection.exec('begin immediate; rollback')
    return { state: 'free', waitedMs: performance.now() - startedAt }
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error
    return { state: 'busy', waitedMs: performance.now() - startedAt }
  } finally {
    connection.close()
  }
}

/** The setting belongs to a connection, so it is asked of one that is opened as the server opens it. */
function synchronousOf(path: string): number {
  const connection = openForWriting(path)
  try {
    return Number(valueOf(connection, 'synchronous'))
  } finally {
    connection.close()
  }
}

function valueOf(connection: DatabaseSync, pragma: string): unknown {
  const row = connection.prepare(`pragma ${pragma}`).get()
  return row && Object.values(row)[0]
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0
}
