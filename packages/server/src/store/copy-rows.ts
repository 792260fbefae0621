import type { CopiedPart, CopiedTable } from './copy-tables.ts'
import type { Database } from './database.ts'
import { fixedSql, joinSql, listOf, sql, type Sql, type SqlValue } from './sql.ts'

/** Per query, and per transaction. */
const ROWS_MAX = 1_000
/** A message with its bodies can have 4 MB. At most this many bytes, or one larger row, are in memory at a time. */
const BYTES_MAX = 8_388_608

export type CopiedRow = Record<string, SqlValue>

/** The values of a part's key columns. */
type Key = readonly SqlValue[]

/** Keys after the first and up to the second, or to the end. */
export type KeyRange = { after: Key; upTo: Key | null }

/** The rows of a range in key order, in batches of limited size. */
export async function* readBatches(
  database: Database,
  part: CopiedPart,
  { after, upTo }: KeyRange = wholeOf(part),
): AsyncGenerator<CopiedRow[]> {
  let last = after
  for (;;) {
    const end = await endOfBatch(database, part, { after: last, upTo })
    if (end === null) return
    yield await readBatch(database, part, { after: last, upTo: end })
    last = end
  }
}

/** What an interrupted copy has left: everything but, in each team, the rows up to the last one in the target. */
export async function missingRanges(target: Database, part: CopiedPart): Promise<KeyRange[]> {
  if (!part.isAppended) return [wholeOf(part)]
  const lasts = await lastKeys(target, part)
  return [part.lowest, ...lasts].map((after, index) => {
    const next = lasts[index]
    return { after, upTo: next ? [next[0]!, part.lowest[1]!] : null }
  })
}

/** The last key of each team in key order. Asked team by team: with an index, that is faster than to group all rows. */
async function lastKeys({ read }: Database, { key, tables }: CopiedPart): Promise<Key[]> {
  const teams = await read<{ id: string }>(sql`select id from teams order by id`)
  const keys: Key[] = []
  // Rejections for an unknown domain have no team.
  for (const id of ['', ...teams.map((team) => team.id)]) {
    const [found] = await read<{ last: SqlValue }>(
      sql`select max(${name(key[1]!)}) as last from ${name(tables[0].name)} where team_id = ${id}`,
    )
    if (found!.last !== null) keys.push([id, found!.last])
  }
  return keys
}

export async function countRows({ read }: Database, part: CopiedPart, range = wholeOf(part)): Promise<number> {
  const [found] = await read<{ count: number }>(
    sql`select count(*) as count from ${name(part.tables[0].name)} where ${isWithin(part.key, range)}`,
  )
  return found!.count
}

/**
 * Upserts rows of a part with one statement per table, in PostgreSQL's syntax. The rows are passed as one value, so the
 * text does not depend on their number.
 */
export function putRows(part: CopiedPart, rows: CopiedRow[]): Sql[] {
  return part.tables.map(({ name: table, columns }) => {
    const others = columns.filter((column) => !part.key.includes(column))
    const changes = others.map((column) => `${column} = excluded.${column}`)
    const old = others.map((column) => `${table}.${column}`)
    const given = others.map((column) => `excluded.${column}`)
    return sql`
      insert into ${name(table)} (${list(columns)})
      select ${list(columns)} from json_populate_recordset(null::${name(table)}, ${JSON.stringify(rows, [...columns])})
      on conflict (${list(part.key)}) do update set ${list(changes)}
      where (${list(old)}) is distinct from (${list(given)})`
  })
}

/** Reads the tables one by one, because planners handle a join of ranges badly. */
async function readBatch({ read }: Database, { key, tables }: CopiedPart, range: KeyRange): Promise<CopiedRow[]> {
  const rows = new Map<string, CopiedRow>()
  for (const table of tables) {
    const found = await read<CopiedRow>(sql`
      select ${list(table.columns)} from ${name(table.name)}
      where ${isWithin(key, range)}
      order by ${list(key)}`)
    // A row whose other half is missing lacks columns that must not be null. The target refuses it.
    for (const row of found) {
      const place = JSON.stringify(key.map((column) => row[column]))
      rows.set(place, { ...rows.get(place), ...row })
    }
  }
  return Array.from(rows.values())
}

/** The key of the last row of the next batch; null at the end. */
async function endOfBatch(database: Database, part: CopiedPart, range: KeyRange): Promise<Key | null> {
  let end: Key | null = null
  for (const table of part.tables) {
    const own = await endInTable(database, table, part.key, range)
    if (own !== null && (end === null || isBefore(own, end))) end = own
  }
  return end
}

async function endInTable(
  { read }: Database,
  table: CopiedTable,
  key: readonly string[],
  range: KeyRange,
): Promise<Key | null> {
  const sizes = table.wide.map((column) => sql`coalesce(octet_length(${name(column)}), 0)`)
  const rows = await read<CopiedRow & { bytes: number }>(sql`
    select ${list(key)}, ${joinSql([sql`0`, ...sizes], sql` + `)} as bytes from ${name(table.name)}
    where ${isWithin(key, range)}
    order by ${list(key)}
    limit ${ROWS_MAX}`)
  let bytes = 0
  const over = rows.findIndex((row) => (bytes += row.bytes) > BYTES_MAX)
  const last = over === -1 ? rows.at(-1) : rows[Math.max(over - 1, 0)]
  return last ? key.map((column) => last[column]!) : null
}

function isWithin(key: readonly string[], { after, upTo }: KeyRange): Sql {
  const columns = list(key)
  const isAfter = sql`(${columns}) > (${listOf([...after])})`
  return upTo === null ? isAfter : sql`${isAfter} and (${columns}) <= (${listOf([...upTo])})`
}

/** For the keys of messages only, since only they have two tables: a team's id, which is ASCII, and a position. */
function isBefore(one: Key, other: Key): boolean {
  const index = one.findIndex((value, at) => value !== other[at])
  return index !== -1 && one[index]! < other[index]!
}

function wholeOf(part: CopiedPart): KeyRange {
  return { after: part.lowest, upTo: null }
}

/** Names come only from copy-tables.ts. */
function name(text: string): Sql {
  return fixedSql(text)
}

function list(names: readonly string[]): Sql {
  return name(names.join(', '))
}
