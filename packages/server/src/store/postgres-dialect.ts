import type { Dialect } from './database.ts'
import { sql } from './sql.ts'

export const POSTGRES: Dialect = {
  // PostgreSQL has statistics, and hiding a column would also hide it from them.
  hidden: (column) => column,
  rowKey: (messages) => sql`${messages}.position`,

  contains: (column, text) => sql`strpos(${column}, ${text}) > 0`,

  hasHeader: (column, { name, value }) => sql`
    exists (select 1 from jsonb_array_elements(${column}::jsonb) h
            where lower((h ->> 'name') collate "C") = ${name} and h ->> 'value' = ${value})`,

  atPositions: (table, teamId, positions) =>
    sql`${table}.team_id = ${teamId} and ${table}.position = any(${arrayOf(positions)}::bigint[])`,

  isAmong: (column, values) =>
    typeof values[0] === 'number'
      ? sql`${column} = any(${arrayOf(values)}::bigint[])`
      : sql`${column} = any(${arrayOf(values)}::text[])`,

  // As an array, because a limit that is not known in advance counts as a tenth of the table, which would be read as a whole.
  isIn: (column, query) => sql`${column} = any(array(${query}))`,

  // A plan that is kept expects a tenth of the rows below a limit that is not known in advance. For the newest message, PostgreSQL
  // would therefore make a new plan each time, which takes longer than the query.
  limit: (count) => (count === 1 ? sql`limit 1` : sql`limit ${count}`),

  now: () => sql`(extract(epoch from statement_timestamp()) * 1000)::bigint`,

  // Does not lock the key, so that rows can still refer to these.
  locked: sql`for no key update`,

  sliced: (bytes, slices) => sql`
    (select slot, substr(${bytes}::bytea, 1 + start, length) as bits
     from unnest(${arrayOf(slices.map(({ slot }) => slot))}::bigint[], ${arrayOf(slices.map(({ start }) => start))}::integer[],
                 ${arrayOf(slices.map(({ length }) => length))}::integer[]) s (slot, start, length))`,
}

/** PostgreSQL's array syntax, with a backslash before special characters. */
function arrayOf(values: (number | string)[]): string {
  const items = values.map((value) =>
    typeof value === 'number' ? value : `"${value.replace(/["\\]/g, (character) => `\\${character}`)}"`,
  )
  return `{${items.join(',')}}`
}
