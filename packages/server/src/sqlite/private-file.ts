import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'

const OWNER_ONLY = 0o600
const OTHERS = 0o077

/** What SQLite keeps beside a database; it gives new ones the mode of the database. */
const BESIDE_DATABASE = ['', '-wal', '-shm', '-journal']

/** For its owner's eyes only, also in a folder that others can read and whatever the umask is. */
export function keepDatabasePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', OWNER_ONLY))
  } catch {
    // SQLite fails the same way and reports it.
    return
  }
  for (const suffix of BESIDE_DATABASE) narrow(`${path}${suffix}`)
}

/** Takes from others what an earlier version, a copy or a restore left them. */
export function narrow(path: string): void {
  if (!existsSync(path)) return
  const { mode } = statSync(path)
  if ((mode & OTHERS) === 0) return
  try {
    chmodSync(path, mode & ~OTHERS & 0o777)
  } catch {
    // Another user's file, or a file system without modes: there it is for its owner to decide.
  }
}
