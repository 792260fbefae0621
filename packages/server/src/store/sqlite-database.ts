import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { openForReading, prepareDatabase } from '../sqlite/connection.ts'
import { openWriter } from '../sqlite/writer.ts'
import type { Database, Dialect } from './database.ts'
import { migrateSqlite } from './sqlite-migrations.ts'
import { sql, type Sql } from './sql.ts'

/** Statement texts differ only by the filters given, so a busy server meets few; this bounds an inventive client. */
const CACHED_STATEMENTS = 500

export function openSqliteDatabase(path: string): Database {
  prepareDatabase(path, migrateSqlite)
  const writer = openWriter(path)
  const reader = openForReading(path)
  const select = statementsOf(reader)

  return {
    dialect: SQLITE,
    read: async (query) => select(query),
    // The caller names the columns in its statements, and so knows the rows' type.
    write: <Row>(...statements: Parameters<Database['write']>) =>
      writer.write(
        statements.map((statement) => {
          const isRequired = 'required' in statement
          const { text, values } = isRequired ? statement.required : statement
          return { text: text.join('?'), values, isRequired }
        }),
      ) as Promise<Row[][]>,
    async close() {
      await writer.close()
      reader.close()
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

  // As above: whoever writes the query knows its rows.
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

  indexMessage: (id) => [
    sql`
      insert into message_trigrams (rowid, subject, sender, recipient, mailbox_with_tag)
      select sequence, subject_folded, sender_folded, recipient_folded, mailbox_with_tag_folded
      from messages where id = ${id}`,
  ],
}

/** The index knows pieces of three characters; it is asked for all of them, in whatever order they stand. */
function trigramsOf(text: string): string[] {
  const characters = Array.from(text)
  return characters.slice(2).map((last, index) => characters[index]! + characters[index + 1]! + last)
}
