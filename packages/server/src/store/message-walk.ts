import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from './database.ts'
import { createPage, type Search } from './message-page.ts'
import {
  COMPARISONS,
  isServedByIndex,
  looksAtText,
  mailboxId,
  orderBy,
  queryFor,
  tagCondition,
  type Wanted,
} from './message-query.ts'
import { joinSql, sql, type Sql } from './sql.ts'
import type { ListAnchor, View } from './store.ts'

export const WALK_LIMITS = {
  /** Read from an index at a time: few at first, because what is asked for is mostly among the newest. */
  candidates: [16, 64, 256, 1_024],
  /** A tag or a mailbox with no more messages than these is read whole and put in order here: 2 ms of SQLite. */
  narrow: 4_096,
  /** So few positions are looked at one by one, whichever mailbox they are of; in one query if no text is compared. */
  shortRange: 2_048,
  /** Among so many of the newest a single message is looked for in one query, if no text is compared. */
  glanced: 256,
}
export type WalkLimits = typeof WALK_LIMITS

/** Beyond as many as are wanted: some of the newest may not match. Bodies take long to compare. */
const GLANCED_MORE = 15

/**
 * What is wanted, exactly as one query would give it, in steps that hold nobody up: an index names messages that come
 * into question, in order, and the view's conditions decide. Each message is looked at once at most, and one that is
 * there all the time exactly once, whatever is added or removed meanwhile.
 */
export async function walkMessages<Row extends ListAnchor>(
  database: Database,
  search: Search<Row>,
  limits: WalkLimits = WALK_LIMITS,
): Promise<Row[]> {
  const page = createPage(database, search)
  const isDone = () => page.rows().length === search.wanted.limit
  const { narrow, wide } = waysFor(search, limits.shortRange)
  const few = narrow && (await readFew(database, narrow, limits.narrow))
  if (few) {
    await page.lookAt(inOrder(few, search.wanted), isDone)
    return page.rows()
  }
  let place: ListAnchor | null = search.wanted.before ?? null
  for (let reads = 0; !isDone(); reads++) {
    const count = limits.candidates[reads] ?? limits.candidates.at(-1)!
    const query = sql`${candidatesIn(search, { wide, place })} ${database.dialect.limit(count)}`
    const candidates: ListAnchor[] =
      reads === 0 ? await database.read(query) : await readInStep(database, search, query)
    await page.lookAt(inOrder(candidates, search.wanted), isDone)
    if (candidates.length < count) break
    place = candidates.at(-1)!
  }
  return page.rows()
}

/**
 * What is wanted, if it is all among the newest that come into question, or these are all there are: as quick as one
 * query that is not bounded. Null when it is not, or when that is unlikely.
 */
export async function glance<Row extends ListAnchor>(
  database: Database,
  search: Search<Row>,
  limits: WalkLimits = WALK_LIMITS,
): Promise<Row[] | null> {
  const { view, wanted, select } = search
  if (isShortRange(search, limits)) return select(queryFor(database.dialect, view, wanted, { isByRange: true }))
  if (wanted.order !== 'newest first' || view.filter.tags) return null
  if (wanted.limit > 1 && !isServedByIndex(view, wanted)) return null
  const { wide } = waysFor(search, 0)
  if (wanted.limit === 1) {
    const newest = await glanceAtNewest(database, search, wide)
    if (newest) return newest
  }
  const isQuick = wanted.limit === 1 && !looksAtText(view.filter)
  const skipped = isQuick ? limits.glanced - 1 : wanted.limit + GLANCED_MORE - 1
  const [last] = await database.read<ListAnchor>(
    sql`${candidatesIn(search, { wide, place: wanted.before ?? null })} ${database.dialect.limit(1)} offset ${skipped}`,
  )
  const rows = await select(queryFor(database.dialect, view, wanted, { downTo: last }))
  return rows.length === wanted.limit || !last ? rows : null
}

/** One query for nearly all who ask: what comes first of all that come into question is it, if it matches. */
async function glanceAtNewest<Row extends ListAnchor>(
  database: Database,
  search: Search<Row>,
  wide: Sql,
): Promise<Row[] | null> {
  const { dialect, read } = database
  const { view, wanted, select } = search
  if (typeof wanted.after === 'number') {
    const isNoneLater = await readFew(database, sql`team_id = ${view.teamId} and position > ${wanted.after}`, 0)
    if (isNoneLater) return []
  }
  const only = sql`${candidatesIn(search, { wide, place: wanted.before ?? null }, sql`sequence`)} ${dialect.limit(1)}`
  const newest = await select(queryFor(dialect, view, wanted, { only }))
  if (newest.length === 1) return newest
  const isNone = (await read(only)).length === 0
  return isNone ? [] : null
}

/** Whether the range of positions has few messages, whichever they are. Served by messages_by_position. */
function isShortRange<Row>({ view, wanted }: Search<Row>, { shortRange }: WalkLimits): boolean {
  const { order, after, upTo } = wanted
  if (order === 'newest first' || typeof after !== 'number' || upTo === undefined) return false
  return upTo - after <= shortRange && !looksAtText(view.filter)
}

/** Conditions that one index serves. */
type Ways = {
  /** Leads to few messages, perhaps, in an order of its own. */
  narrow: Sql | null
  /** Leads to all that come into question, in the wanted order. */
  wide: Sql
}

function waysFor({ view, wanted }: { view: View; wanted: Wanted }, shortRange: number): Ways {
  const { teamId, filter } = view
  const { order, after, upTo } = wanted
  const ofTeam = sql`team_id = ${teamId}`
  const byMailbox = mailboxId(view)
  const byTag = tagCondition(view)
  const ofMailbox = byMailbox && sql`mailbox_id = ${byMailbox}`
  const ofTag = byTag && sql`${ofTeam} and ${byTag}`
  if (order === 'newest first') {
    if (ofTag && !filter.tags) return { narrow: null, wide: ofTag }
    const behind = typeof after === 'number' ? sql`${ofTeam} and position > ${after}` : null
    return { narrow: ofTag ?? behind, wide: ofMailbox ?? ofTeam }
  }
  const isShort = typeof after === 'number' && upTo !== undefined && upTo - after <= shortRange
  return { narrow: ofTag ?? (isShort ? null : ofMailbox), wide: ofTeam }
}

/** Null when there are too many. Served by messages_by_tag, messages_by_mailbox or messages_by_position. */
async function readFew({ dialect, read }: Database, narrow: Sql, most: number): Promise<ListAnchor[] | null> {
  const found = await read<ListAnchor>(sql`
    select received_at as "receivedAt", position from messages where ${narrow} ${dialect.limit(most + 1)}`)
  return found.length > most ? null : found
}

/** All that it finds may lie outside of what is wanted, so it is a step by itself. */
function readInStep<Row>({ read, inStep }: Database, { view }: Search<Row>, query: Sql): Promise<ListAnchor[]> {
  return inStep(view.teamId, async () => {
    view.proceed?.()
    const candidates = await read<ListAnchor>(query)
    await yieldToEventLoop()
    return candidates
  })
}

/** Served by messages_by_tag, messages_by_mailbox, messages_by_time or messages_by_position alone. */
function candidatesIn<Row>(
  { view, wanted }: Search<Row>,
  { wide, place }: { wide: Sql; place: ListAnchor | null },
  columns?: Sql,
): Sql {
  const isByTime = wanted.order === 'newest first'
  const bounds = isByTime ? timeBounds(view, place) : positionBounds(wanted, place)
  return sql`
    select ${columns ?? (isByTime ? PLACE_BY_TIME : PLACE_BY_POSITION)}
    from messages
    where ${joinSql([wide, ...bounds], sql` and `)}
    ${orderBy(wanted.order)}`
}

const PLACE_BY_TIME = sql`received_at as "receivedAt", position`
/** Nothing asks for the time, and the index does not have it. */
const PLACE_BY_POSITION = sql`0 as "receivedAt", position`

function timeBounds({ oldestReceivedAt, filter: { start, since, end } }: View, place: ListAnchor | null): Sql[] {
  const oldest = Math.max(oldestReceivedAt, start ?? -Infinity, since ?? -Infinity)
  const all = [sql`received_at >= ${oldest}`]
  if (end !== undefined) all.push(sql`received_at < ${end}`)
  if (place) all.push(sql`(received_at, position) < (${place.receivedAt}, ${place.position})`)
  return all
}

function positionBounds({ order, after, upTo }: Wanted, place: ListAnchor | null): Sql[] {
  const isForward = order === 'by position'
  const all = [sql`position > ${Math.max(after ?? 0, isForward ? (place?.position ?? 0) : 0)}`]
  if (upTo !== undefined) all.push(sql`position <= ${upTo}`)
  if (place && !isForward) all.push(sql`position < ${place.position}`)
  return all
}

/** Without those that their place alone rules out. */
function inOrder(candidates: ListAnchor[], { order, after, upTo, before }: Wanted): number[] {
  const compare = COMPARISONS[order]
  return candidates
    .filter(({ position }) => position > (after ?? 0) && position <= (upTo ?? Infinity))
    .filter((candidate) => !before || compare(before, candidate) < 0)
    .sort(compare)
    .map(({ position }) => position)
}
