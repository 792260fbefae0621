import type { CopiedPart, CopiedTable } from './copy-tables.ts'
import type { Database } from './database.ts'
import { joinSql, sql, type Sql, type SqlValue } from './sql.ts'

/** Per query, and per transaction. */
const ROWS_MAX = 1_000
/** A message with its bodies can have 4 MB. At most this many bytes, or one larger row, are in memory at a time. */
const BYTES_MAX = 8_388_608

export type CopiedRow = Record<string, SqlValue>

/** All rows after a key in key order, in batches of limited size. */
export async function* readBatches(database: Database, part: CopiedPart, after: SqlValue): AsyncGenerator<CopiedRow[]> {
  let last = after
  for (;;) {
    const end = await endOfBatch(database, part, last)
    if (end === null) return
    yield await readBatch(database, part, { after: last, upTo: end })
    last = end
  }
}

/** The largest key in the database, or `lowest` if it is empty. */
export async function lastKey(database: Database, part: CopiedPart): Promise<SqlValue> {
  const [found] = await database.read<{ key: SqlValue }>(
    sql`select max(${name(part.key)}) as key from ${name(part.tables[0].name)}`,
  )
  return found?.key ?? part.lowest
}

export async function countAfter(database: Database, part: CopiedPart, after: SqlValue): Promise<number> {
  const [found] = await database.read<{ count: number }>(
    sql`select count(*) as count from ${name(part.tables[0].name)} where ${name(part.key)} > ${after}`,
  )
  return found!.count
}

/**
 * Upserts rows of a part with one statement per table, in PostgreSQL's syntax. The rows are passed as one value, so the
 * text does not depend on their number.
 */
export function putRows(part: CopiedPart, rows: CopiedRow[]): Sql[] {
  return part.tables.map(({ name: table, columns }) => {
    const others = columns.filter((column) => column !== part.key)
    const changes = others.map((column) => `${column} = excluded.${column}`)
    const old = others.map((column) => `${table}.${column}`)
    const given = others.map((column) => `excluded.${column}`)
    return sql`
      insert into ${name(table)} (${list(columns)})
      select ${list(columns)} from json_populate_recordset(null::${name(table)}, ${JSON.stringify(rows, [...columns])})
      on conflict (${name(part.key)}) do update set ${list(changes)}
      where (${list(old)}) is distinct from (${list(given)})`
  })
}

/** Reads the tables one by one, because planners handle a join of ranges badly. */
async function readBatch(
  { read }: Database,
  { key, tables }: CopiedPart,
  { after, upTo }: { after: SqlValue; upTo: SqlValue },
): Promise<CopiedRow[]> {
  const rows = new Map<SqlValue, CopiedRow>()
  for (const table of tables) {
    const found = await read<CopiedRow>(sql`
      select ${list(table.columns)} from ${name(table.name)}
      where ${name(key)} > ${after} and ${name(key)} <= ${upTo}
      order by ${name(key)}`)
    // A row whose other half is missing lacks columns that must not be null. The target refuses it.
    for (const row of found) rows.set(row[key]!, { ...rows.get(row[key]!), ...row })
  }
  return Array.from(rows.values())
}

/** The key of the last row of the next batch; null at the end. */
async function endOfBatch(database: Database, part: CopiedPart, after: SqlValue): Promise<SqlValue> {
  let end: SqlValue = null
  for (const table of part.tables) {
    const own = await endInTable(database, table, { key: part.key, after })
    if (own !== null && (end === null || own < end)) end = own
  }
  return end
}

async function endInTable(
  { read }: Database,
  table: CopiedTable,
  { key, after }: { key: string; after: SqlValue },
): Promise<SqlValue> {
  const sizes = table.wide.map((column) => sql`coalesce(octet_length(${name(column)}), 0)`)
  const rows = await read<{ key: SqlValue; bytes: number }>(sql`
    select ${name(key)} as key, ${joinSql([sql`0`, ...sizes], sql` + `)} as bytes from ${name(table.name)}
    where ${name(key)} > ${after}
    order by ${name(key)}
    limit ${ROWS_MAX}`)
  let bytes = 0
  const over = rows.findIndex((row) => (bytes += row.bytes) > BYTES_MAX)
  return (over === -1 ? rows.at(-1) : rows[Math.max(over - 1, 0)])?.key ?? null
}

/** Names come only from copy-tables.ts. */
function name(text: string): Sql {
  return { text: [text], values: [] }
}

function list(names: readonly string[]): Sql {
  return name(names.join(', '))
}
