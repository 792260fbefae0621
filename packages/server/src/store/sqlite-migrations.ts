import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { checkSchema } from '../sqlite/connection.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** Migrates to the newest schema, each step in its own transaction. Forward only. */
export function migrateSqlite(connection: DatabaseSync): void {
  const steps = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const version = checkSchema(connection, steps.length)
  for (let next = version; next < steps.length; next++) {
    const text = readFileSync(new URL(steps[next]!, FOLDER), 'utf8')
    connection.exec(`begin immediate; ${text}; pragma user_version = ${next + 1}; commit`)
  }
}
