import type { KeyedSemaphore } from '../domain/semaphore.ts'
import type { Sql, SqlValue } from './sql.ts'
import type { Slice } from './text-slice.ts'

/** What the store needs of a database. Everything else is the same SQL on all databases. */
export type Database = {
  dialect: Dialect
  read<Row>(query: Sql): Promise<Row[]>
  /** A short read: few rows, found by an index. Those of one turn of the event loop may share a connection and wait for each other. */
  lookup<Row>(query: Sql): Promise<Row[]>
  /** Whether a query runs in the main thread and blocks it until it is done. */
  blocksMainThread: boolean
  /** Runs one step of a long search: few at a time, and one per team. */
  runStep: KeyedSemaphore
  /** Runs one transaction. When it resolves with the result of each statement, it is durable. */
  write<Writes extends Write[]>(...statements: Writes): Promise<Results<Writes>>
  /** The same with a lock on the team: no other transaction for the team starts before it is committed, in any process. */
  writeFor<Writes extends Write[]>(teamId: string, ...statements: Writes): Promise<Results<Writes>>
  /** Stores a message in one call, where that is faster than the statements of sql-intake.ts. It leaves the same rows. */
  storeMessage?(teamId: string, row: NewRow): Promise<StoredRow>
  /** Rejects while the database is read-only or unreachable. */
  check(): Promise<void>
  /** Its size on disk. May be a minute old. */
  sizeBytes(): Promise<number>
  close(): Promise<void>
}

/** A message with its deliveries, by the names of its columns. */
export type NewRow = Record<string, SqlValue | object>

/** The position; null for a message that was stored or removed before, or whose mailbox was changed or removed. */
export type StoredRow = { stored: number | null; isUnchanged: boolean }

/** A statement of a transaction. */
export type Write = Plain | Required

type Plain = Sql | Returning<unknown>

/** A statement that returns rows of this type. */
export type Returning<Row> = {
  returning: Sql
  /** Never set. It carries the type to the result. */
  rows?: Row[]
}

/** After a required statement that changes and returns nothing, the rest of the transaction is skipped. */
export type Required<Statement extends Plain = Plain> = { required: Statement }

export function returning<Row>(statement: Sql): Returning<Row> {
  return { returning: statement }
}

export function required<Statement extends Plain>(statement: Statement): Required<Statement> {
  return { required: statement }
}

/** The rows, or the number of changed rows, of each statement. Those that were skipped have no result. */
export type Results<Writes extends readonly Write[]> = Writes extends readonly [
  infer First,
  ...infer Rest extends readonly Write[],
]
  ? [ResultOf<First>, ...(First extends Required ? Partial<Results<Rest>> : Results<Rest>)]
  : { [Index in keyof Writes]: ResultOf<Writes[Index]> }

type ResultOf<Statement> =
  Statement extends Required<infer Plain> ? ResultOf<Plain> : Statement extends Returning<infer Row> ? Row[] : number

/** The author of a statement names its columns and so knows its rows. */
export function toResults<Writes extends Write[]>(results: unknown[]): Results<Writes> {
  return results as Results<Writes>
}

/** The statement without its type. */
export function sqlOf(statement: Write): Sql {
  const plain = 'required' in statement ? statement.required : statement
  return 'returning' in plain ? plain.returning : plain
}

/** Where the databases' SQL differs. */
export type Dialect = {
  /** The column in a form that cannot use an index. */
  hidden(column: Sql): Sql
  /** What finds a row of a team's `messages` fastest within the same statement. */
  rowKey(messages: Sql): Sql
  /** Whether `column` contains the text, byte for byte and without wildcards. */
  contains(column: Sql, text: string): Sql
  /** Whether the JSON array of `{name, value}` in `column` contains this header. The name is lower case. */
  hasHeader(column: Sql, header: { name: string; value: string }): Sql
  /** Whether `column` is one of the values. The statement text does not depend on their number. */
  isAmong(column: Sql, values: number[] | string[]): Sql
  /** Whether a row of the team is at one of the positions: two conditions. The key of the table, given by its alias, is team and position. */
  atPositions(table: Sql, teamId: string, positions: number[]): Sql
  /** Whether `column` is one of the rows of the query. They are few, and each is looked up in an index. */
  isIn(column: Sql, query: Sql): Sql
  /** `limit` with this count, in a form that lets the database reuse its plan. */
  limit(count: number): Sql
  /** The time in milliseconds: the database's clock if several processes share it, otherwise as given. */
  now(at: number): Sql
  /** Ends a `select` and locks its rows until the transaction ends. */
  locked: Sql
  /** A row (slot, bits) for each slice of the bytes. */
  sliced(bytes: Uint8Array, slices: Slice[]): Sql
}
