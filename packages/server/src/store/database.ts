import type { KeyedSemaphore } from '../domain/semaphore.ts'
import type { Sql } from './sql.ts'

/** What the store needs of a database; everything else is the same SQL for all of them. */
export type Database = {
  dialect: Dialect
  read<Row>(query: Sql): Promise<Row[]>
  /** Whether a query runs in this very thread, which does nothing else until it is answered. */
  holdsUs: boolean
  /** Runs one step of a long search, at once or in its turn: few at a time, and each team has its turn. */
  inStep: KeyedSemaphore
  /**
   * One transaction, durable when it resolves with the result of each statement: its rows if it has a `returning`,
   * else how many it changed. After a `required` statement without either, the rest is left out.
   */
  write(...statements: (Sql | Required)[]): Promise<unknown[]>
  /** The same, alone of its team: none of another process, either, begins for the team before it is committed. */
  writeFor(teamId: string, ...statements: (Sql | Required)[]): Promise<unknown[]>
  /** Differs after every commit, of whatever process; null when the database cannot tell cheaply. */
  version(): number | null
  /** Rejects while the database takes no writes. */
  check(): Promise<void>
  close(): Promise<void>
}

export type Required = { required: Sql }

export function required(statement: Sql): Required {
  return { required: statement }
}

/** The few places where the databases speak differently. */
export type Dialect = {
  /** The column, unfit as a reason to choose an index. */
  hidden(column: Sql): Sql
  /** Does `column` contain the text, byte for byte? No wildcards. */
  contains(column: Sql, text: string): Sql
  /** Does the JSON array of `{name, value}` in `column` hold this header? The name is in lower case. */
  hasHeader(column: Sql, header: { name: string; value: string }): Sql
  /** Is `column` one of these? One text however many there are. */
  isAmong(column: Sql, values: number[] | string[]): Sql
  /** `limit` with this count, in the form in which the database keeps its plan from one count to the next. */
  limit(count: number): Sql
  /** The time in milliseconds: of the database where several processes share it, else as given. */
  now(at: number): Sql
  /** Ends a `select`: until the transaction does, nobody else changes these rows. */
  locked: Sql
  /** A table with a row for each of these numbers, its `value`, and as `piece` the next `size` of the bytes. */
  sliced(bytes: Uint8Array, by: { size: number; numbers: number[] }): Sql
}
