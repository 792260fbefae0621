import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { withFileNamed } from './connection.ts'
import { keepDatabasePrivate } from './private-file.ts'

/** For those who only look whether there is a lock, which takes them a moment. */
const LOOKER_MS_MAX = 250
const SQLITE_BUSY = 5

/**
 * Keeps a folder for one serving program. The lock is an open transaction on a database file, so it ends with the
 * process, `kill -9` included.
 */
export function lockFolder(lockFile: string, description: string): { release(): void } {
  keepDatabasePrivate(lockFile)
  const lock = withFileNamed(lockFile, () => new DatabaseSync(lockFile, { timeout: LOOKER_MS_MAX }))
  try {
    withFileNamed(lockFile, () => lock.exec('pragma locking_mode = exclusive; begin exclusive'))
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    throw new Error(`${description} is already in use by another Mailhatch (${lockFile} is locked).`, { cause: error })
  }
  return { release: () => lock.close() }
}

/** Whether a program serves from there now. */
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
