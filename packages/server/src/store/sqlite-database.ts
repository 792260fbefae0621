import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { openForReading, openForWriting } from '../sqlite/connection.ts'
import { createGroupCommit } from '../sqlite/group-commit.ts'
import type { Database, Dialect, Transaction } from './database.ts'
import { migrateSqlite } from './sqlite-migrations.ts'
import { sql, type Sql } from './sql.ts'

/** Statement texts differ only by the filters given, so a busy server meets few; this bounds an inventive client. */
const CACHED_STATEMENTS = 500

export function openSqliteDatabase(path: string): Database {
  const writer = openForWriting(path)
  migrateSqlite(writer)
  const reader = openForReading(path)
  const commits = createGroupCommit(writer)
  const select = statementsOf(reader)
  const execute = statementsOf(writer)
  const transaction: Transaction = { all: async (query) => execute(query) }

  return {
    dialect: SQLITE,
    read: async (query) => select(query),
    write: (work) => commits.write(() => work(transaction)),
    async close() {
      await commits.idle()
      reader.close()
      writer.close()
    },
  }
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

  // The caller names the columns in its query, and so knows the row's type.
  return <Row>({ text, values }: Sql) => prepared(text.join('?')).all(...values) as Row[]
}

const SQLITE: Dialect = {
  contains: (column, text) => sql`instr(${column}, ${text}) > 0`,

  hasHeader: (column, { name, value }) => sql`
    exists (select 1 from json_each(${column}) h
            where lower(h.value ->> 'name') = ${name} and h.value ->> 'value' = ${value})`,

  candidates(text) {
    const trigrams = trigramsOf(text)
    if (trigrams.length === 0) return null
    const match = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' and ')
    return sql`select rowid from message_trigrams where message_trigrams match ${match}`
  },
}

/** The index knows pieces of three characters; it is asked for all of them, in whatever order they stand. */
function trigramsOf(text: string): string[] {
  const characters = Array.from(text)
  return characters.slice(2).map((last, index) => characters[index]! + characters[index + 1]! + last)
}
