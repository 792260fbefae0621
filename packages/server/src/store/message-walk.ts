import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from './database.ts'
import { createPage, type PageSearch } from './message-page.ts'
import {
  checksEach,
  COMPARISONS,
  isServedByIndex,
  mailboxId,
  orderBy,
  queryFor,
  tagCondition,
  type Wanted,
} from './message-query.ts'
import { joinSql, sql, type Sql } from './sql.ts'
import type { ListAnchor, View } from './messages.ts'

export const WALK_LIMITS = {
  /** Read from an index at a time: few at first, because most requests are for the newest messages. */
  candidates: [16, 64, 256, 1_024],
  /** A tag or mailbox with at most this many messages is read completely and sorted here: 2 ms in SQLite. */
  narrow: 4_096,
  /** A range of at most this many positions is read directly for any mailbox; in one query if no text is compared. */
  shortRange: 2_048,
  /** A single message is searched for among this many of the newest in one query, if no text is compared. */
  newestChecked: 256,
  /** If more messages are unread, a walk from the newest soon finds a page of them. Checking this many takes 20 ms in SQLite. */
  marked: 2_048,
}
export type WalkLimits = typeof WALK_LIMITS

/** More than wanted, because some of the newest may not match. Comparing bodies is slow. */
const NEWEST_CHECKED_MORE = 15

/**
 * Returns exactly what one query would return, in steps that do not block other work: an index lists candidates in
 * order, and the view's conditions decide. Each message is checked at most once, and one that exists throughout the
 * search exactly once, even if others are added or deleted meanwhile.
 */
export async function walkMessages<Row extends ListAnchor>(
  database: Database,
  search: PageSearch<Row>,
  limits: WalkLimits = WALK_LIMITS,
): Promise<Row[]> {
  const page = createPage(database, search)
  const isDone = () => page.rows().length === search.wanted.limit
  const { narrow, wide } = pathsFor(search, limits.shortRange)
  const few = narrow && (await readFew(database, narrow, limits.narrow))
  if (few) {
    await page.check(inOrder(few, search.wanted), isDone)
    return page.rows()
  }
  let last: ListAnchor | null = search.wanted.before ?? null
  for (let reads = 0; !isDone(); reads++) {
    const count = limits.candidates[reads] ?? limits.candidates.at(-1)!
    const query = sql`${candidatesIn(search, { wide, after: last })} ${database.dialect.limit(count)}`
    const candidates: ListAnchor[] =
      reads === 0 ? await database.read(query) : await readAsStep(database, search, query)
    await page.check(inOrder(candidates, search.wanted), isDone)
    if (candidates.length < count) break
    last = candidates.at(-1)!
  }
  return page.rows()
}

/**
 * Returns the wanted messages if they are all among the newest candidates, or if these are all there are: as fast as one
 * query without limits. Null if they are not, or if that is unlikely.
 */
export async function findAmongNewest<Row extends ListAnchor>(
  database: Database,
  search: PageSearch<Row>,
  limits: WalkLimits = WALK_LIMITS,
): Promise<Row[] | null> {
  const { view, wanted, select } = search
  if (isShortRange(search, limits)) return select(queryFor(database.dialect, view, wanted, { isByRange: true }))
  if (wanted.order !== 'newest first' || view.filter.tags) return null
  if (wanted.limit > 1 && !isServedByIndex(view, wanted)) return null
  const { wide } = pathsFor(search, 0)
  if (wanted.limit === 1) {
    const newest = await findNewest(database, search, wide)
    if (newest) return newest
  }
  const isQuick = wanted.limit === 1 && !checksEach(view)
  const skipped = isQuick ? limits.newestChecked - 1 : wanted.limit + NEWEST_CHECKED_MORE - 1
  const [last] = await database.read<ListAnchor>(
    sql`${candidatesIn(search, { wide, after: wanted.before ?? null })} ${database.dialect.limit(1)} offset ${skipped}`,
  )
  const rows = await select(queryFor(database.dialect, view, wanted, { downTo: last }))
  return rows.length === wanted.limit || !last ? rows : null
}

/** One query for most requests: the first candidate, if it matches. */
async function findNewest<Row extends ListAnchor>(
  database: Database,
  search: PageSearch<Row>,
  wide: Sql,
): Promise<Row[] | null> {
  const { dialect, read } = database
  const { view, wanted, select } = search
  if (typeof wanted.after === 'number') {
    const isNoneLater = await readFew(database, sql`team_id = ${view.teamId} and position > ${wanted.after}`, 0)
    if (isNoneLater) return []
  }
  const only = sql`${candidatesIn(search, { wide, after: wanted.before ?? null }, dialect.rowKey(sql`messages`))} ${dialect.limit(1)}`
  const newest = await select(queryFor(dialect, view, wanted, { only }))
  if (newest.length === 1) return newest
  const isNone = (await read(only)).length === 0
  return isNone ? [] : null
}

/** Whether the range contains few positions. Served by the primary key. */
function isShortRange<Row>({ view, wanted }: PageSearch<Row>, { shortRange }: WalkLimits): boolean {
  const { order, after, upTo } = wanted
  if (order === 'newest first' || typeof after !== 'number' || upTo === undefined) return false
  return upTo - after <= shortRange && !checksEach(view)
}

/** Conditions that one index serves. */
type AccessPaths = {
  /** May lead to few messages, in any order. */
  narrow: Sql | null
  /** Leads to all candidates, in the wanted order. */
  wide: Sql
}

function pathsFor({ view, wanted }: { view: View; wanted: Wanted }, shortRange: number): AccessPaths {
  const { teamId, filter } = view
  const { order, after, upTo } = wanted
  const ofTeam = sql`team_id = ${teamId}`
  const byMailbox = mailboxId(view)
  const byTag = tagCondition(view)
  const ofMailbox = byMailbox && sql`${ofTeam} and mailbox_id = ${byMailbox}`
  const ofTag = byTag && sql`${ofTeam} and ${byTag}`
  if (order === 'newest first') {
    if (ofTag && !filter.tags) return { narrow: null, wide: ofTag }
    const later = typeof after === 'number' ? sql`${ofTeam} and position > ${after}` : null
    return { narrow: ofTag ?? later, wide: ofMailbox ?? ofTeam }
  }
  const isShort = typeof after === 'number' && upTo !== undefined && upTo - after <= shortRange
  return { narrow: ofTag ?? (isShort ? null : ofMailbox), wide: ofTeam }
}

/** Null if there are too many. Served by messages_by_tag, messages_by_mailbox or the primary key. */
async function readFew({ dialect, read }: Database, narrow: Sql, most: number): Promise<ListAnchor[] | null> {
  const found = await read<ListAnchor>(sql`
    select received_at as "receivedAt", position from messages where ${narrow} ${dialect.limit(most + 1)}`)
  return found.length > most ? null : found
}

/** All of these candidates may be outside the wanted range, so the query is a step of its own. */
function readAsStep<Row>({ read, runStep }: Database, { view }: PageSearch<Row>, query: Sql): Promise<ListAnchor[]> {
  return runStep(view.teamId, async () => {
    view.proceed?.()
    const candidates = await read<ListAnchor>(query)
    await yieldToEventLoop()
    return candidates
  })
}

/** Served by messages_by_tag, messages_by_mailbox, messages_by_time or the primary key alone. */
function candidatesIn<Row>(
  { view, wanted }: PageSearch<Row>,
  { wide, after }: { wide: Sql; after: ListAnchor | null },
  columns?: Sql,
): Sql {
  const isByTime = wanted.order === 'newest first'
  const bounds = isByTime ? timeBounds(view, after) : positionBounds(wanted, after)
  return sql`
    select ${columns ?? (isByTime ? ANCHOR_BY_TIME : ANCHOR_BY_POSITION)}
    from messages
    where ${joinSql([wide, ...bounds], sql` and `)}
    ${orderBy(wanted.order)}`
}

const ANCHOR_BY_TIME = sql`received_at as "receivedAt", position`
/** The time is not needed, and the index does not contain it. */
const ANCHOR_BY_POSITION = sql`0 as "receivedAt", position`

function timeBounds({ oldestReceivedAt, filter: { start, since, end } }: View, last: ListAnchor | null): Sql[] {
  const oldest = Math.max(oldestReceivedAt, start ?? -Infinity, since ?? -Infinity)
  const all = [sql`received_at >= ${oldest}`]
  if (end !== undefined) all.push(sql`received_at < ${end}`)
  if (last) all.push(sql`(received_at, position) < (${last.receivedAt}, ${last.position})`)
  return all
}

function positionBounds({ order, after, upTo }: Wanted, last: ListAnchor | null): Sql[] {
  const isForward = order === 'by position'
  const all = [sql`position > ${Math.max(after ?? 0, isForward ? (last?.position ?? 0) : 0)}`]
  if (upTo !== undefined) all.push(sql`position <= ${upTo}`)
  if (last && !isForward) all.push(sql`position < ${last.position}`)
  return all
}

/** Without candidates that their position already rules out. */
export function inOrder(candidates: ListAnchor[], { order, after, upTo, before }: Wanted): number[] {
  const compare = COMPARISONS[order]
  return candidates
    .filter(({ position }) => position > (after ?? 0) && position <= (upTo ?? Infinity))
    .filter((candidate) => !before || compare(before, candidate) < 0)
    .sort(compare)
    .map(({ position }) => position)
}
