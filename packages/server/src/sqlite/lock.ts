import { DatabaseSync } from 'node:sqlite'

/**
 * Keeps a folder for one serving program. The lock is an open transaction on a database file, so it ends with the
 * process, `kill -9` included.
 */
export function lockFolder(lockFile: string, description: string): { release(): void } {
  const lock = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    throw new Error(`${description} is already in use by another Mailhatch (${lockFile} is locked).`, { cause: error })
  }
  return { release: () => lock.close() }
}
