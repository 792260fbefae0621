import { statSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../../packages/server/test/support/postgres-server.ts'
import type { Database } from '../../packages/server/src/store/database.ts'
import { openPostgresDatabase } from '../../packages/server/src/store/postgres-database.ts'
import { sql } from '../../packages/server/src/store/sql.ts'
import { openSqliteDatabase } from '../../packages/server/src/store/sqlite-database.ts'
import { administer } from '../replicas/administer.ts'

/** A database: the URL on PostgreSQL, null for the SQLite file in `folder`. */
export type Place = { folder: string; url: string | null }

export type Databases = {
  /** A new database; on SQLite, that of the folder. */
  placeIn(folder: string): Promise<Place>
  close(): Promise<void>
}

/** For PostgreSQL, starts a server with its data in a temporary folder. */
export async function startDatabases(kind: 'sqlite' | 'postgres'): Promise<Databases> {
  if (kind === 'sqlite') return { placeIn: async (folder) => ({ folder, url: null }), async close() {} }
  const server = await startPostgres({ autovacuum: 'on' })
  let created = 0
  return {
    async placeIn(folder) {
      const name = `search_${created++}`
      await administer(server.url(), `create database ${name}`)
      return { folder, url: server.url(name) }
    },
    close: server.remove,
  }
}

export function databaseFile(folder: string): string {
  return join(folder, 'mailhatch.db')
}

export async function openPlace({ folder, url }: Place): Promise<Database> {
  return url === null ? openSqliteDatabase(databaseFile(folder)) : openPostgresDatabase(url)
}

/** On SQLite, of a closed database. */
export async function megabytesOf({ folder, url }: Place): Promise<number> {
  if (url === null) return statSync(databaseFile(folder)).size / 1e6
  const database = await openPostgresDatabase(url)
  const [row] = await database.read<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`)
  await database.close()
  return row!.bytes / 1e6
}
