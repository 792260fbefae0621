import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { withFileNamed } from './connection.ts'
import { keepDatabasePrivate } from './private-file.ts'

/** `isLocked` takes the lock for a moment, so wait at least that long. */
const CHECK_MS_MAX = 250
const SQLITE_BUSY = 5

/**
 * Locks a folder for one server. The lock is an open transaction on a database file, so it ends with the process, even
 * after `kill -9`. Its journal is in memory, because a file would need room on the disk.
 */
export function lockFolder(lockFile: string, description: string): { release(): void } {
  keepDatabasePrivate(lockFile)
  const lock = withFileNamed(lockFile, () => new DatabaseSync(lockFile, { timeout: CHECK_MS_MAX }))
  try {
    withFileNamed(lockFile, () =>
      lock.exec('pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive'),
    )
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    throw new Error(`${description} is already in use by another Mailhatch process (${lockFile} is locked).`, {
      cause: error,
    })
  }
  return { release: () => lock.close() }
}

/** Whether a server is running on the folder. */
export function isLocked(lockFile: string): boolean {
  if (!existsSync(lockFile)) return false
  const lock = new DatabaseSync(lockFile, { readOnly: true, timeout: 0 })
  try {
    lock.exec('select count(*) from sqlite_schema')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    lock.close()
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
