import type { Dialect } from './database.ts'
import { sql } from './sql.ts'

export const POSTGRES: Dialect = {
  // It has statistics, and what is hidden from it would be hidden from them as well.
  hidden: (column) => column,

  contains: (column, text) => sql`strpos(${column}, ${text}) > 0`,

  hasHeader: (column, { name, value }) => sql`
    exists (select 1 from jsonb_array_elements(${column}::jsonb) h
            where lower((h ->> 'name') collate "C") = ${name} and h ->> 'value' = ${value})`,

  isAmong: (column, values) =>
    typeof values[0] === 'number'
      ? sql`${column} = any(${arrayOf(values)}::bigint[])`
      : sql`${column} = any(${arrayOf(values)}::text[])`,

  limit: (count) => sql`limit ${count}`,

  now: () => sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,

  // Not the key: what refers to the rows may go on.
  locked: sql`for no key update`,

  sliced: (bytes, { size, numbers }) => sql`
    (select n.value, substr(${bytes}::bytea, (n.place - 1)::integer * ${size}::integer + 1, ${size}::integer) as piece
     from unnest(${arrayOf(numbers)}::bigint[]) with ordinality n (value, place))`,
}

/** As PostgreSQL writes an array: a backslash before what would end an item. */
function arrayOf(values: (number | string)[]): string {
  const items = values.map((value) =>
    typeof value === 'number' ? value : `"${value.replace(/["\\]/g, (character) => `\\${character}`)}"`,
  )
  return `{${items.join(',')}}`
}
