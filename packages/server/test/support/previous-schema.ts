import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const MIGRATIONS = join(import.meta.dirname, '../../src/store/migrations')

/** The version of the newest schema. */
export const NEWEST_SCHEMA = migrations().length

/** Gives the file of a stopped server the schema before the newest one, with the same rows, as an earlier version would. */
export function moveToPreviousSchema(path: string): void {
  renameSync(path, `${path}.newest`)
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  try {
    for (const name of migrations().slice(0, -1)) database.exec(readFileSync(join(MIGRATIONS, name), 'utf8'))
    database.exec(`pragma user_version = ${NEWEST_SCHEMA - 1}`)
    database.prepare('attach ? as newest').run(`${path}.newest`)
    const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
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

/** Only the columns that both schemas have. */
function copyRows(database: DatabaseSync, table: string): void {
  const columnsIn = (schema: string) =>
    database
      .prepare('select name from pragma_table_info(?, ?)')
      .all(table, schema)
      .map(({ name }) => String(name))
  const newest = columnsIn('newest')
  const columns = columnsIn('main').filter((name) => newest.includes(name))
  if (columns.length === 0) return
  database.exec(`
    delete from main.${table};
    insert into main.${table} (${columns.join()}) select ${columns.join()} from newest.${table}`)
}

function migrations(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}
