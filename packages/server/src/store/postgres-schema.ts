import type { Client } from 'pg'

/** The schema of this version. SQLite has the same tables at the same version. */
export const NEWEST_SCHEMA = 17

/** The name of a program's connections, by which those of older versions are recognized. */
export const APPLICATION_NAME = `mailhatch ${NEWEST_SCHEMA}`

/**
 * `version` is 0 for a database that Mailhatch has not used yet. `part` counts the steps to the next version that are done
 * in place. Until the last one, the version stays, so that older servers can start.
 */
export type SchemaState = { version: number; part: number }

export async function readSchemaState(client: Client): Promise<SchemaState> {
  const { rows } = await client.query<{ exists: boolean }>(`select to_regclass('schema_version') is not null as exists`)
  if (!rows[0]!.exists) return { version: 0, part: 0 }
  // The column exists only while there are such steps.
  const found = await client.query<SchemaState>(`
    select s.version, coalesce((to_jsonb(s) ->> 'part')::bigint, 0) as part from schema_version s`)
  return found.rows[0] ?? { version: 0, part: 0 }
}
