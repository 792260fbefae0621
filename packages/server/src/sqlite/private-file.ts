import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'

const OWNER_ONLY = 0o600
const OTHERS = 0o077

/** Suffixes of the files that SQLite creates beside a database. New ones get the mode of the database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal']

/** Restricts a database to its owner, also in a readable folder and with any umask. */
export function keepDatabasePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', OWNER_ONLY))
  } catch {
    // SQLite fails the same way and reports it.
    return
  }
  for (const suffix of SUFFIXES) restrictToOwner(`${path}${suffix}`)
}

/** Removes the access of other users, which an earlier version, a copy or a restore may have granted. */
export function restrictToOwner(path: string): void {
  if (!existsSync(path)) return
  const { mode } = statSync(path)
  if ((mode & OTHERS) === 0) return
  try {
    chmodSync(path, mode & ~OTHERS & 0o777)
  } catch {
    // The file belongs to another user, or the file system has no modes. Its owner decides.
  }
}
