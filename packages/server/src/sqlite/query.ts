import type { DatabaseSync } from 'node:sqlite'
import type { Value } from './transactions.ts'

export type SqliteQuery<Row> = {
  all(...values: Value[]): Row[]
  get(...values: Value[]): Row | undefined
}

/** Prepares a query with the type of its rows. */
export function prepareQuery<Row>(connection: DatabaseSync, text: string): SqliteQuery<Row> {
  const statement = connection.prepare(text)
  // The author of a query names its columns and so knows its rows.
  return {
    all: (...values) => statement.all(...values) as Row[],
    get: (...values) => statement.get(...values) as Row | undefined,
  }
}
