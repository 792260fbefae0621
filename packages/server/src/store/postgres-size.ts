import type { Database } from './database.ts'
import { sql } from './sql.ts'

/** PostgreSQL looks at every file of the database, some thousands in a large one. */
const SIZE_AGE_MS_MAX = 60_000

/** The size of the database, asked for at most once a minute. */
export function createSizeReader(read: Database['read'], now = () => performance.now()): () => Promise<number> {
  let known: { sizeBytes: number; at: number } | null = null
  return async () => {
    if (known && now() - known.at < SIZE_AGE_MS_MAX) return known.sizeBytes
    const rows = await read<{ sizeBytes: number }>(sql`select pg_database_size(current_database()) as "sizeBytes"`)
    known = { sizeBytes: rows[0]!.sizeBytes, at: now() }
    return known.sizeBytes
  }
}
