import { renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { NEWEST_SCHEMA } from '../../src/store/sqlite-migrations.ts'
import { createSchemaTen } from './schema-ten.ts'

/** Of the version before. Schema 11 exists only while a database is upgraded. */
export const PREVIOUS_SCHEMA = 10
/** The schema that follows. */
const NEXT_SCHEMA = 17

/** Throws if there is a newer schema: then schema 10 is no longer the previous one. */
export function checkPreviousSchema(newest: number = NEWEST_SCHEMA): void {
  if (newest === NEXT_SCHEMA) return
  throw new Error(
    `The newest schema is ${newest}, so ${PREVIOUS_SCHEMA} is no longer the previous one. In test/support/previous-schema.ts, ` +
      'set PREVIOUS_SCHEMA to the last schema of the version before and NEXT_SCHEMA to the newest one, and let ' +
      'moveToPreviousSchema create PREVIOUS_SCHEMA and DIFFERENCES say how its columns get their values.',
  )
}

/** Gives the file of a stopped server the schema of the version before, with the same rows. The text index is left out. */
export function moveToPreviousSchema(path: string): void {
  checkPreviousSchema()
  renameSync(path, `${path}.newest`)
  const database = createSchemaTen(path)
  try {
    database.exec('pragma foreign_keys = off')
    database.prepare('attach ? as newest').run(`${path}.newest`)
    const tables = database.prepare(`select name from main.sqlite_schema where type = 'table'`).all()
    for (const { name } of tables) copyRows(database, String(name))
  } finally {
    database.close()
  }
}

export function schemaOf(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return Number(database.prepare('pragma user_version').get()!['user_version'])
  } finally {
    database.close()
  }
}

/** What differs from a copy of the column: a table to join with the newer one, `n`, and values for columns. */
const DIFFERENCES: Record<string, { join?: string; values: Record<string, string> }> = {
  teams: {
    join: 'join newest.team_state s on s.team_id = n.id',
    values: {
      last_position: 's.last_position',
      message_count: 's.message_count',
      read_through: 's.read_through',
      read_count: 's.read_count',
      mark_version: 's.mark_version',
    },
  },
  mailboxes: { values: { domain: `iif(n.is_caught, n.domain || ' ' || n.team_id, n.domain)` } },
  messages: { values: { sequence: 'row_number() over (order by n.team_id, n.position)' } },
  message_contents: { join: 'join main.messages m using (team_id, position)', values: { sequence: 'm.sequence' } },
  read_marks: { join: 'join main.messages m using (team_id, position)', values: { sequence: 'm.sequence' } },
  removed_messages: { values: { team_id: `nullif(n.team_id, '')` } },
  rejections: {
    values: { id: 'row_number() over (order by n.id, n.team_id)', team_id: `nullif(n.team_id, '')` },
  },
  deliveries: { values: { sequence: 'row_number() over (order by n.team_id, n.id)' } },
  delivery_attempts: {
    join: 'join main.deliveries d on d.id = n.delivery_id',
    values: { sequence: 'row_number() over (order by n.team_id, n.delivery_id, n.attempt)', delivery: 'd.sequence' },
  },
}

/** Only the columns that both schemas have, and the differences. */
function copyRows(database: DatabaseSync, table: string): void {
  const columnsIn = (schema: string) =>
    database
      .prepare('select name from pragma_table_info(?, ?)')
      .all(table, schema)
      .map(({ name }) => String(name))
  const newest = columnsIn('newest')
  if (newest.length === 0) return
  const { join = '', values = {} } = DIFFERENCES[table] ?? {}
  const columns = columnsIn('main').filter((name) => newest.includes(name) || name in values)
  const given = columns.map((name) => values[name] ?? `n.${name}`)
  database.exec(`
    delete from main.${table};
    insert into main.${table} (${columns.join()}) select ${given.join()} from newest.${table} n ${join}`)
}
