import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

const FOLDER = new URL('./migrations/', import.meta.url)

/** Brings the database to the newest schema, each step in a transaction of its own. Forward only. */
export function migrateSqlite(connection: DatabaseSync): void {
  const steps = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const version = Number(connection.prepare('pragma user_version').get()?.['user_version'])
  if (version > steps.length) {
    throw new Error(
      `The database has schema ${version}, but this Mailhatch knows only ${steps.length}. ` +
        'Start the newer version that wrote it, or restore a backup made before the upgrade.',
    )
  }
  for (let next = version; next < steps.length; next++) {
    const text = readFileSync(new URL(steps[next]!, FOLDER), 'utf8')
    connection.exec(`begin immediate; ${text}; pragma user_version = ${next + 1}; commit`)
  }
}
