import type { Sql } from './sql.ts'

/** What the store needs of a database; everything else is the same SQL for all of them. */
export type Database = {
  dialect: Dialect
  read<Row>(query: Sql): Promise<Row[]>
  /**
   * One transaction, durable when it resolves, with the rows of each statement. After a `required` statement that
   * yields no row, the rest is left out.
   */
  write<Row>(...statements: (Sql | Required)[]): Promise<Row[][]>
  close(): Promise<void>
}

export type Required = { required: Sql }

export function required(statement: Sql): Required {
  return { required: statement }
}

/** The few places where the databases speak differently. */
export type Dialect = {
  /** Does `column` contain the text, byte for byte? No wildcards. */
  contains(column: Sql, text: string): Sql
  /** Does the JSON array of `{name, value}` in `column` hold this header? The name is in lower case. */
  hasHeader(column: Sql, header: { name: string; value: string }): Sql
  /** Messages that may contain the text in a header field, by an index; `null` when no index can tell. */
  candidates(text: string): Sql | null
  /** What keeps that index up to date with a message that was just inserted. */
  indexMessage(id: string): Sql[]
}
