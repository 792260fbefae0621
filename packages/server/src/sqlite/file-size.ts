import { stat } from 'node:fs/promises'

/** The size of a database on disk, with what is not yet copied from its write-ahead log. */
export async function databaseFileBytes(path: string): Promise<number> {
  const sizes = await Promise.all([path, `${path}-wal`].map(sizeOf))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The log exists only while the database is open. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  return found?.size ?? 0
}
