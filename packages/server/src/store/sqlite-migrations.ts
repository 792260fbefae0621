import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { checkSchema } from '../sqlite/connection.ts'
import type { OnMigration } from './migration-progress.ts'
import { moveOldRows } from './sqlite-backfill.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** A file is named after the schema version it creates, without gaps. PostgreSQL has the same tables at the same version. */
const STEPS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .sort()

export const NEWEST_SCHEMA = STEPS.length

/** What follows a version, in transactions of its own, before the next step. It can be interrupted and run again. */
const WORK_AFTER = new Map([[11, moveOldRows]])

/** Migrates to the newest schema, each step in its own transaction. Forward only. */
export function migrateSqlite(connection: DatabaseSync, onMigration: OnMigration = () => {}): void {
  const version = checkSchema(connection, NEWEST_SCHEMA)
  for (let next = version; next < NEWEST_SCHEMA; next++) {
    WORK_AFTER.get(next)?.(connection, onMigration)
    const text = readFileSync(new URL(STEPS[next]!, FOLDER), 'utf8')
    connection.exec(`begin immediate; ${text}; pragma user_version = ${next + 1}; commit`)
  }
}
