import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { createKeyedSemaphore } from '../domain/semaphore.ts'
import { openForReading, prepareDatabase } from '../sqlite/connection.ts'
import type { Statement } from '../sqlite/transactions.ts'
import { databaseFileBytes } from '../sqlite/file-size.ts'
import { openWriter } from '../sqlite/writer.ts'
import { sqlOf, toResults, type Database, type Dialect, type Results, type Write } from './database.ts'
import type { OnMigration } from './migration-progress.ts'
import { migrateSqlite } from './sqlite-migrations.ts'
import { assemble, fixedSql, sql, type Sql } from './sql.ts'

/** Statement texts differ only by the given filters, so a busy server has few. Limits the memory a client can use. */
const CACHED_STATEMENTS = 500
/** After this much time in reads, other work gets a turn before the next read. */
const READS_MS = 2

type SqliteOptions = {
  onMigration?: OnMigration | undefined
  /** Called after each commit with its duration. */
  onCommit?: ((ms: number) => void) | undefined
}

export function openSqliteDatabase(path: string, { onMigration, onCommit }: SqliteOptions = {}): Database {
  const reader = prepareDatabase(path, (connection) => {
    migrateSqlite(connection, onMigration)
    return openForReading(path)
  })
  const writer = openWriter(path, { onCommit })
  const select = statementsOf(reader)
  let spentMs = 0
  let yielding: Promise<null> | null = null

  async function read<Row>(query: Sql): Promise<Row[]> {
    while (yielding) await yielding
    const startedAt = performance.now()
    const rows = select<Row>(query)
    spentMs += performance.now() - startedAt
    if (spentMs < READS_MS) return rows
    spentMs = 0
    yielding = yieldToEventLoop().then(() => (yielding = null))
    return rows
  }

  async function write<Writes extends Write[]>(...statements: Writes): Promise<Results<Writes>> {
    return toResults<Writes>(await writer.write(statements.map(toStatement)))
  }

  return {
    dialect: SQLITE,
    read,
    lookup: read,
    blocksMainThread: true,
    runStep: createKeyedSemaphore(1),
    write,
    // SQLite runs transactions one after another anyway.
    writeFor: (_, ...statements) => write(...statements),
    // A read-only file is refused at start-up.
    async check() {},
    sizeBytes: () => databaseFileBytes(path),
    async close() {
      // The writer closes last: only a writable connection can checkpoint the write-ahead log and delete it.
      reader.close()
      await writer.close()
    },
  }
}

function toStatement(given: Write): Statement {
  return { ...assemble(sqlOf(given)), isRequired: 'required' in given }
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

  // The author of a query names its columns and so knows its rows.
  return <Row>(query: Sql) => {
    const { text, values } = assemble(query)
    return prepared(text).all(...values) as Row[]
  }
}

const SQLITE: Dialect = {
  hidden: (column) => sql`+${column}`,
  // The index by tag or mailbox has it, so the key by position is not searched.
  rowKey: (messages) => sql`${messages}.rowid`,

  contains: (column, text) => sql`instr(${column}, ${text}) > 0`,

  hasHeader: (column, { name, value }) => sql`
    exists (select 1 from json_each(${column}) h
            where lower(h.value ->> 'name') = ${name} and h.value ->> 'value' = ${value})`,

  isAmong: (column, values) => sql`${column} in (select value from json_each(${JSON.stringify(values)}))`,

  // Without statistics, SQLite expects 10 rows of a team and 25 in a list, and prefers an index that has all columns that are read.
  // Only the key begins with both columns, so compared together they are looked up there. The first comparison shows the team to
  // those who read the statement, and `+` keeps it from choosing an index.
  atPositions: (table, teamId, positions) => sql`
    +${table}.team_id = ${teamId}
    and (${table}.team_id, ${table}.position) in (select ${teamId}, value from json_each(${JSON.stringify(positions)}))`,

  isIn: (column, query) => sql`${column} in (${query})`,

  // Part of the text: with a bound count, SQLite plans the statement again on every call, which takes longer than running it.
  limit: (count) => fixedSql(`limit ${Math.trunc(count)}`),

  now: (at) => sql`${at}`,

  // SQLite runs transactions one after another anyway.
  locked: sql``,

  sliced: (bytes, slices) => sql`
    (select value ->> 0 as slot, substr(${bytes}, 1 + (value ->> 1), value ->> 2) as bits
     from json_each(${JSON.stringify(slices.map(({ slot, start, length }) => [slot, start, length]))}))`,
}
