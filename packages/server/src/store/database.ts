import type { KeyedSemaphore } from '../domain/semaphore.ts'
import type { Sql } from './sql.ts'

/** What the store needs of a database. Everything else is the same SQL on all databases. */
export type Database = {
  dialect: Dialect
  read<Row>(query: Sql): Promise<Row[]>
  /** Whether a query runs in the main thread and blocks it until it is done. */
  blocksMainThread: boolean
  /** Runs one step of a long search: few at a time, and one per team. */
  runStep: KeyedSemaphore
  /**
   * Runs one transaction. When it resolves with the result of each statement, it is durable. A result is the rows of a
   * `returning`, otherwise the number of changed rows. After a `required` statement without either, the rest is skipped.
   */
  write(...statements: (Sql | Required)[]): Promise<unknown[]>
  /** The same with a lock on the team: no other transaction for the team starts before it is committed, in any process. */
  writeFor(teamId: string, ...statements: (Sql | Required)[]): Promise<unknown[]>
  /** Rejects while the database is read-only or unreachable. */
  check(): Promise<void>
  close(): Promise<void>
}

export type Required = { required: Sql }

export function required(statement: Sql): Required {
  return { required: statement }
}

/** Where the databases' SQL differs. */
export type Dialect = {
  /** The column in a form that cannot use an index. */
  hidden(column: Sql): Sql
  /** Whether `column` contains the text, byte for byte and without wildcards. */
  contains(column: Sql, text: string): Sql
  /** Whether the JSON array of `{name, value}` in `column` contains this header. The name is lower case. */
  hasHeader(column: Sql, header: { name: string; value: string }): Sql
  /** Whether `column` is one of the values. The statement text does not depend on their number. */
  isAmong(column: Sql, values: number[] | string[]): Sql
  /** `limit` with this count, in a form that lets the database reuse its plan. */
  limit(count: number): Sql
  /** The time in milliseconds: the database's clock if several processes share it, otherwise as given. */
  now(at: number): Sql
  /** Ends a `select` and locks its rows until the transaction ends. */
  locked: Sql
  /** A table with one row per number: `value` is the number, `piece` the next `size` bytes. */
  sliced(bytes: Uint8Array, by: { size: number; numbers: number[] }): Sql
}
