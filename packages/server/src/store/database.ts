import type { Sql } from './sql.ts'

/** What the store needs of a database; everything else is the same SQL for all of them. */
export type Database = {
  dialect: Dialect
  read<Row>(query: Sql): Promise<Row[]>
  /**
   * Runs `work` in a transaction that is durable when the promise resolves. Several may share one commit, and one
   * that throws undoes only itself. `work` awaits nothing but its transaction.
   */
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export type Transaction = { all<Row>(query: Sql): Promise<Row[]> }

/** The few places where the databases speak differently. */
export type Dialect = {
  /** Does `column` contain the text, byte for byte? No wildcards. */
  contains(column: Sql, text: string): Sql
  /** Does the JSON array of `{name, value}` in `column` hold this header? The name is in lower case. */
  hasHeader(column: Sql, header: { name: string; value: string }): Sql
  /** Messages that may contain the text in a header field, by an index; `null` when no index can tell. */
  candidates(text: string): Sql | null
}
