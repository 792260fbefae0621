import { needsContent, type MessageFilter, type Needle } from '../domain/match.ts'
import { isAnyWord, wordsNeedContent, type SearchWords } from '../domain/search-words.ts'
import type { Dialect } from './database.ts'
import { isUnreadIn } from './sql-read-marks.ts'
import { joinSql, listOf, sql, type Sql } from './sql.ts'
import type { ListAnchor, View } from './messages.ts'

/** The `where` and `order by` of a search. */
export type SearchClauses = { where: Sql; newestFirst: Sql }

export type Order = 'newest first' | 'by position' | 'last position first'

/** Which messages of a view, and in which order. */
export type Wanted = {
  order: Order
  limit: number
  /** After this position. */
  after?: number | null
  /** Up to this position. */
  upTo?: number
  /** Further down in list order. */
  before?: ListAnchor | null
}

export const COMPARISONS: Record<Order, (a: ListAnchor, b: ListAnchor) => number> = {
  'newest first': (a, b) => b.receivedAt - a.receivedAt || b.position - a.position,
  'by position': (a, b) => a.position - b.position,
  'last position first': (a, b) => b.position - a.position,
}

const ORDERS: Record<Order, Sql> = {
  'newest first': sql`order by received_at desc, position desc`,
  'by position': sql`order by position`,
  'last position first': sql`order by position desc`,
}

/** For `messages` without an alias. */
export function orderBy(order: Order): Sql {
  return ORDERS[order]
}

/**
 * How a query finds rows: by these positions only; by the one message whose position the query names; by the range of
 * positions; in list order down to an anchor; or as the database decides.
 */
export type AccessPath = { among?: number[]; only?: Sql; isByRange?: boolean; downTo?: ListAnchor | undefined }

/** Everything after `from`. */
export function queryFor(
  dialect: Dialect,
  view: View,
  { order, limit, after, upTo, before }: Wanted,
  { among, only, isByRange, downTo }: AccessPath = {},
): Sql {
  const isNewestFirst = order === 'newest first'
  const isByPosition = among !== undefined || only !== undefined || isByRange === true
  const { where, newestFirst } = searchFor(dialect, view, isByPosition ? 'position' : isNewestFirst ? 'time' : 'any')
  const all = [where]
  if (among) all.push(dialect.isAmong(sql`m.position`, among))
  if (only) all.push(sql`${dialect.rowKey(sql`m`)} = (${only})`)
  const position = isNewestFirst && !among ? dialect.hidden(sql`m.position`) : sql`m.position`
  if (typeof after === 'number') all.push(sql`${position} > ${after}`)
  if (upTo !== undefined) all.push(sql`${position} <= ${upTo}`)
  const receivedAt = isByPosition ? dialect.hidden(sql`m.received_at`) : sql`m.received_at`
  if (before) all.push(sql`(${receivedAt}, m.position) < (${before.receivedAt}, ${before.position})`)
  if (downTo) all.push(sql`(${receivedAt}, m.position) >= (${downTo.receivedAt}, ${downTo.position})`)
  const byPosition = order === 'by position' ? sql`order by m.position` : sql`order by m.position desc`
  return sql`where ${joinSql(all, sql` and `)} ${isNewestFirst ? newestFirst : byPosition} ${dialect.limit(limit)}`
}

/**
 * The SQL equivalent of domain/match, on `messages m` (and `message_contents c` if `readsContent`). Databases without
 * statistics choose indexes badly, so columns other than the access path are hidden from them.
 */
export function searchFor(dialect: Dialect, view: View, path: 'time' | 'position' | 'any' = 'time'): SearchClauses {
  const { filter } = view
  const isByPosition = path === 'position'
  const isByTag = !isByPosition && isFoundByTag(filter)
  const hiddenIf = (isHidden: boolean, column: Sql) => (isHidden ? dialect.hidden(column) : column)
  // The index of one tag is in list order; the messages of several tags must be sorted.
  const isSorted = isByPosition || filter.tags !== undefined
  const columns = {
    mailbox: hiddenIf(isByTag || isByPosition, sql`m.mailbox_id`),
    receivedAt: hiddenIf(isByPosition, sql`m.received_at`),
    tag: hiddenIf(isByPosition, sql`m.tag`),
  }
  return {
    where: joinSql([sql`m.team_id = ${view.teamId}`, ...conditions(dialect, view, columns)], sql` and `),
    // Of an expression, no database takes the order from an index: to reach a limit sooner, PostgreSQL would walk the whole team.
    newestFirst: isSorted
      ? sql`order by +m.received_at desc, +m.position desc`
      : sql`order by m.received_at desc, m.position desc`,
  }
}

/** Whether one index contains exactly the wanted rows in the wanted order, so that no others are read. */
export function isServedByIndex(view: View, { order, after }: Wanted): boolean {
  const { mailboxId: boundTo, mailbox, tag, tags } = view.filter
  if (order !== 'newest first' || typeof after === 'number' || tags || checksEach(view)) return false
  if (mailbox && (mailbox.tag !== null || mailbox.domain !== null)) return false
  return [boundTo, mailbox, tag].filter((value) => value !== undefined).length <= 1
}

/** Whether each candidate must be checked for text, headers or words of the search box, which no index serves directly. */
export function checksEach({ filter: { to, from, subject, text, q, header }, words }: View): boolean {
  return isAnyWord(words) || [to, from, subject, text, q, header].some((value) => value !== undefined)
}

/** Whether conditions need the content table. */
export function readsContent({ filter, words }: View): boolean {
  return needsContent(filter) || (words !== undefined && wordsNeedContent(words))
}

/** The index by tag is always the best access path. */
export function isFoundByTag({ tag, tags, mailbox }: MessageFilter): boolean {
  return tag !== undefined || tags !== undefined || (mailbox?.tag ?? null) !== null
}

type Columns = { mailbox: Sql; receivedAt: Sql; tag: Sql }

function conditions(dialect: Dialect, { teamId, oldestReceivedAt, filter, words = {} }: View, columns: Columns): Sql[] {
  return [
    // Retention bounds every read but is never the access path.
    sql`${dialect.hidden(sql`m.received_at`)} >= ${oldestReceivedAt}`,
    ...filterConditions(dialect, { teamId, filter }, columns),
    ...wordConditions(teamId, words),
    ...(words.without ?? []).map((excluded) => {
      const all = [
        ...filterConditions(dialect, { teamId, filter: excluded.filter }, columns),
        ...wordConditions(teamId, excluded.words),
      ]
      // Without a tag or a known mailbox, a comparison is neither true nor false.
      return sql`(${joinSql(all, sql` and `)}) is not true`
    }),
  ]
}

function filterConditions(
  dialect: Dialect,
  { teamId, filter }: Pick<View, 'teamId' | 'filter'>,
  { mailbox, receivedAt, tag }: Columns,
): Sql[] {
  const all: Sql[] = []
  if (filter.mailboxId !== undefined) all.push(sql`${mailbox} = ${filter.mailboxId}`)
  if (filter.mailbox) all.push(...mailboxConditions(teamId, filter.mailbox, { mailbox, tag }))
  if (filter.tag !== undefined) all.push(sql`${tag} = ${filter.tag}`)
  if (filter.tags) all.push(sql`${tag} in (${listOf(filter.tags)})`)
  if (filter.to) all.push(containsAny(dialect, [sql`m.recipient_folded`], filter.to))
  if (filter.from) all.push(containsAny(dialect, [sql`m.sender_folded`], filter.from))
  if (filter.subject) all.push(containsAny(dialect, [sql`m.subject_folded`], filter.subject))
  if (filter.text) all.push(containsAny(dialect, [BODY_FOLDED], filter.text))
  if (filter.q) all.push(containsAny(dialect, SEARCHED, filter.q))
  if (filter.header) all.push(dialect.hasHeader(sql`c.headers`, filter.header))
  if (filter.start !== undefined) all.push(sql`${receivedAt} >= ${filter.start}`)
  if (filter.end !== undefined) all.push(sql`${receivedAt} < ${filter.end}`)
  if (filter.since !== undefined) all.push(sql`${receivedAt} >= ${filter.since}`)
  return all
}

function wordConditions(
  teamId: string,
  { hasAttachment, hasCode, isUnread, largerThan, smallerThan }: SearchWords,
): Sql[] {
  const all: Sql[] = []
  if (hasAttachment) all.push(sql`m.attachment_count > 0`)
  if (hasCode) all.push(sql`c.codes <> '[]'`)
  if (isUnread) all.push(isUnreadIn(teamId))
  if (largerThan !== undefined) all.push(sql`coalesce(m.size, 0) > ${largerThan}`)
  if (smallerThan !== undefined) all.push(sql`coalesce(m.size, 0) < ${smallerThan}`)
  return all
}

/** See the comment on the column. Without text there is nothing to find. */
export const BODY_FOLDED = sql`coalesce(c.body_folded, lower(c.text), '')`

const SEARCHED = [
  sql`m.subject_folded`,
  sql`m.sender_folded`,
  sql`m.recipient_folded`,
  sql`m.mailbox_with_tag_folded`,
  BODY_FOLDED,
]

function mailboxConditions(
  teamId: string,
  { name, tag, domain }: NonNullable<MessageFilter['mailbox']>,
  columns: { mailbox: Sql; tag: Sql },
): Sql[] {
  const all = [sql`${columns.mailbox} = ${idOfMailbox(teamId, name)}`]
  if (tag !== null) all.push(sql`${columns.tag} = ${tag}`)
  if (domain !== null) all.push(sql`m.domain = ${domain}`)
  return all
}

function idOfMailbox(teamId: string, name: string): Sql {
  return sql`(select id from mailboxes where team_id = ${teamId} and name = ${name})`
}

/** The requested mailbox as a value; null for any. If two are requested, the conditions check the second. */
export function mailboxId({ teamId, filter }: View): Sql | null {
  if (filter.mailboxId !== undefined) return sql`${filter.mailboxId}`
  return filter.mailbox ? idOfMailbox(teamId, filter.mailbox.name) : null
}

/** For `messages` without an alias; null for any tag. Of several conditions, the first. */
export function tagCondition({ filter: { tag, tags, mailbox } }: View): Sql | null {
  const one = tag ?? mailbox?.tag ?? null
  if (one !== null) return sql`tag = ${one}`
  return tags ? sql`tag in (${listOf(tags)})` : null
}

function containsAny(dialect: Dialect, columns: Sql[], needle: Needle): Sql {
  const any = columns.flatMap((column) => needle.map((text) => dialect.contains(column, text)))
  return sql`(${joinSql(any, sql` or `)})`
}
