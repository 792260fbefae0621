import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { createKeyedSemaphore } from '../domain/semaphore.ts'
import { openForReading, prepareDatabase } from '../sqlite/connection.ts'
import type { Statement } from '../sqlite/transactions.ts'
import { openWriter } from '../sqlite/writer.ts'
import type { Database, Dialect, Required } from './database.ts'
import { migrateSqlite } from './sqlite-migrations.ts'
import { sql, type Sql } from './sql.ts'

/** Statement texts differ only by the filters given, so a busy server meets few; this bounds an inventive client. */
const CACHED_STATEMENTS = 500
/** When reads took this long together, be it one of a large message or many, others have their turn before the next. */
const READS_MS = 2

export function openSqliteDatabase(path: string): Database {
  prepareDatabase(path, migrateSqlite)
  const writer = openWriter(path)
  const reader = openForReading(path)
  const select = statementsOf(reader)
  let spentMs = 0
  let othersTurn: Promise<null> | null = null
  const dataVersion = reader.prepare('pragma data_version')
  const write: Database['write'] = (...statements) => writer.write(statements.map(toStatement))

  async function read<Row>(query: Sql): Promise<Row[]> {
    while (othersTurn) await othersTurn
    const startedAt = performance.now()
    const rows = select<Row>(query)
    spentMs += performance.now() - startedAt
    if (spentMs < READS_MS) return rows
    spentMs = 0
    othersTurn = yieldToEventLoop().then(() => (othersTurn = null))
    return rows
  }

  return {
    dialect: SQLITE,
    read,
    holdsUs: true,
    inStep: createKeyedSemaphore(1),
    write,
    // Transactions come one after another in any case.
    writeFor: (_, ...statements) => write(...statements),
    // Our writer is another connection, so its commits count as well.
    version: () => dataVersion.get()!['data_version'] as number,
    // A file that may not be written is refused at the start.
    async check() {},
    async close() {
      // The writer last: only a connection that may write takes the log into the file and removes it.
      reader.close()
      await writer.close()
    },
  }
}

function toStatement(given: Sql | Required): Statement {
  const isRequired = 'required' in given
  const { text, values } = isRequired ? given.required : given
  return { text: joined(text), values, isRequired }
}

function statementsOf(connection: DatabaseSync): <Row>(query: Sql) => Row[] {
  const statements = new Map<string, StatementSync>()

  function prepared(text: string): StatementSync {
    const known = statements.get(text)
    if (known) return known
    if (statements.size >= CACHED_STATEMENTS) statements.clear()
    const statement = connection.prepare(text)
    statements.set(text, statement)
    return statement
  }

  // Whoever writes the query names its columns, and so knows its rows.
  return <Row>({ text, values }: Sql) => prepared(joined(text)).all(...values) as Row[]
}

const joinedTexts = new WeakMap<readonly string[], string>()

/** Texts are the same array each time: see `sql`. */
function joined(text: readonly string[]): string {
  const known = joinedTexts.get(text)
  if (known !== undefined) return known
  const whole = text.join('?')
  joinedTexts.set(text, whole)
  return whole
}

/** The same text each time: see `sql`. */
const LIMITS = new Map<number, Sql>()

const SQLITE: Dialect = {
  hidden: (column) => sql`+${column}`,

  contains: (column, text) => sql`instr(${column}, ${text}) > 0`,

  hasHeader: (column, { name, value }) => sql`
    exists (select 1 from json_each(${column}) h
            where lower(h.value ->> 'name') = ${name} and h.value ->> 'value' = ${value})`,

  isAmong: (column, values) => sql`${column} in (select value from json_each(${JSON.stringify(values)}))`,

  // In the text: a bound count makes SQLite plan the statement anew at every call, which takes longer than running it.
  limit: (count) => {
    const known = LIMITS.get(count)
    if (known) return known
    if (LIMITS.size >= CACHED_STATEMENTS) LIMITS.clear()
    const limit = { text: [`limit ${Math.trunc(count)}`], values: [] }
    LIMITS.set(count, limit)
    return limit
  },

  now: (at) => sql`${at}`,

  // Transactions come one after another in any case.
  locked: sql``,

  sliced: (bytes, { size, numbers }) => sql`
    (select value, substr(${bytes}, key * ${size} + 1, ${size}) as piece from json_each(${JSON.stringify(numbers)}))`,
}
