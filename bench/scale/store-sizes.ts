import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import type pg from 'pg'
import { copyStore } from '../../packages/server/src/store/copy-store.ts'
import type { Database } from '../../packages/server/src/store/database.ts'
import { readStatus } from '../../packages/server/src/store/database-status.ts'
import { createSqlStore } from '../../packages/server/src/store/sql-store.ts'
import { openSqliteDatabase } from '../../packages/server/src/store/sqlite-database.ts'

/** The size of a store, by kind of data. */
export type Sizes = { messages: number; contents: number; indexes: number; textIndex: number }

/** Copies a SQLite file to PostgreSQL and indexes it; resolves to the seconds of each step. */
export async function copyAndIndex(file: string, target: Database, url: string) {
  const source = openSqliteDatabase(file)
  const startedAt = performance.now()
  await copyStore({ source, target }, () => {})
  const copiedAt = performance.now()
  await source.close()
  const store = createSqlStore(target, {
    onError(error) {
      throw error
    },
  })
  while ((await readStatus({ url })).counts?.unindexed !== 0) await sleep(100)
  const seconds = { copy: (copiedAt - startedAt) / 1000, index: (performance.now() - copiedAt) / 1000 }
  return { store, seconds }
}

export function sqliteSizes(file: string): Sizes {
  const connection = new DatabaseSync(file)
  const sizeOf = (where: string) =>
    Number(connection.prepare(`select coalesce(sum(pgsize), 0) as bytes from dbstat where ${where}`).get()!['bytes'])
  const sizes = {
    messages: sizeOf(`name = 'messages'`),
    contents: sizeOf(`name = 'message_contents'`),
    indexes: sizeOf(`name in (select name from sqlite_schema where type = 'index' and tbl_name = 'messages')`),
    textIndex: sizeOf(`name in ('index_slices', 'index_blocks')`),
  }
  connection.close()
  return sizes
}

export async function postgresSizes(client: pg.Client): Promise<Sizes> {
  const { rows } = await client.query<Record<keyof Sizes, string>>(`
    select pg_table_size('messages') as messages, pg_table_size('message_contents') as contents,
           pg_indexes_size('messages') + pg_indexes_size('message_contents') as indexes,
           pg_total_relation_size('index_slices') + pg_total_relation_size('index_blocks') as "textIndex"`)
  const { messages, contents, indexes, textIndex } = rows[0]!
  return {
    messages: Number(messages),
    contents: Number(contents),
    indexes: Number(indexes),
    textIndex: Number(textIndex),
  }
}
