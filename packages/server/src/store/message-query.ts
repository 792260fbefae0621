import type { MessageFilter, Needle } from '../domain/match.ts'
import type { Dialect } from './database.ts'
import { joinSql, listOf, sql, type Sql } from './sql.ts'
import type { Anchor, View } from './store.ts'

/** Up to here, walking the positions one by one is cheaper than any way in but a tag. */
const SHORT_WALK = 10_000

/** Where and in which order to look. */
export type Search = { where: Sql; newestFirst: Sql }

/** Which of a view's messages, and in which order. */
export type Wanted = {
  order: 'newest first' | 'by position'
  limit: number
  /** Later than this position. */
  after?: number | null
  /** Up to this position. */
  upTo?: number
  /** Further down in the order of lists. */
  before?: Anchor | null
}

/** What follows `from`. `walk` as below; `within` narrows further. */
export function queryFor(
  dialect: Dialect,
  view: View,
  { order, limit, after, upTo, before }: Wanted,
  { walk, within }: { walk: number | null; within?: Sql },
): Sql {
  const { where, newestFirst } = searchFor(dialect, view, walk)
  const all = within ? [where, within] : [where]
  if (typeof after === 'number') all.push(sql`m.position > ${after}`)
  if (upTo !== undefined) all.push(sql`m.position <= ${upTo}`)
  const receivedAt = within ? dialect.hidden(sql`m.received_at`) : sql`m.received_at`
  if (before) all.push(sql`(${receivedAt}, m.position) < (${before.receivedAt}, ${before.position})`)
  const ordered = order === 'newest first' ? newestFirst : sql`order by m.position`
  return sql`where ${joinSql(all, sql` and `)} ${ordered} ${dialect.limit(limit)}`
}

/**
 * The SQL twin of domain/match, on `messages m` (and `message_contents c` where `needsContent`). `walk` says how many
 * positions are to be looked at, where that is known. Databases without statistics guess badly which index to use, so
 * the columns that are not the way in are hidden from them.
 */
export function searchFor(dialect: Dialect, view: View, walk: number | null = null): Search {
  const { filter } = view
  const isByTag = isFoundByTag(filter)
  const isByPosition = !isByTag && walk !== null && walk <= SHORT_WALK
  const hiddenIf = (isHidden: boolean, column: Sql) => (isHidden ? dialect.hidden(column) : column)
  // One tag's messages lie in the order of lists; those of several tags are sorted.
  const isSorted = isByPosition || filter.tags !== undefined
  const isByMailbox = !isByTag && walk === null && (filter.mailboxId !== undefined || filter.mailbox !== undefined)
  const columns = {
    mailboxId: hiddenIf(isByTag || isByPosition, sql`m.mailbox_id`),
    receivedAt: hiddenIf(isByPosition, sql`m.received_at`),
  }
  // A mailbox has its own way in. Statistics say nothing of when it was last written to, so with the team to choose from,
  // PostgreSQL would look for the latest message of a quiet mailbox among all that are newer. `is true` hides it.
  const ofTeam = isByMailbox ? sql`(m.team_id = ${view.teamId}) is true` : sql`m.team_id = ${view.teamId}`
  return {
    where: joinSql([ofTeam, ...conditions(dialect, view, columns)], sql` and `),
    newestFirst: sql`order by ${hiddenIf(isSorted, sql`m.received_at`)} desc, ${hiddenIf(isSorted, sql`m.position`)} desc`,
  }
}

/** A tag's own index is always the best way in. */
export function isFoundByTag({ tag, tags, mailbox }: MessageFilter): boolean {
  return tag !== undefined || tags !== undefined || (mailbox?.tag ?? null) !== null
}

type Columns = { mailboxId: Sql; receivedAt: Sql }

function conditions(dialect: Dialect, view: View, { mailboxId, receivedAt }: Columns): Sql[] {
  const { teamId, oldestReceivedAt, filter } = view
  // Retention bounds every read, but is never the way in.
  const all = [sql`${dialect.hidden(sql`m.received_at`)} >= ${oldestReceivedAt}`]
  if (filter.mailboxId !== undefined) all.push(sql`${mailboxId} = ${filter.mailboxId}`)
  if (filter.mailbox) all.push(...mailboxConditions(teamId, filter.mailbox, mailboxId))
  if (filter.tag !== undefined) all.push(sql`m.tag = ${filter.tag}`)
  if (filter.tags) all.push(sql`m.tag in (${listOf(filter.tags)})`)
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

/** See the column's note. Where there is no text either, there is nothing to find. */
export const BODY_FOLDED = sql`coalesce(c.body_folded, lower(c.text), '')`

const SEARCHED = [
  sql`m.subject_folded`,
  sql`m.sender_folded`,
  sql`m.recipient_folded`,
  sql`m.mailbox_with_tag_folded`,
  BODY_FOLDED,
]

function mailboxConditions(teamId: string, mailbox: NonNullable<MessageFilter['mailbox']>, mailboxId: Sql): Sql[] {
  const all = [sql`${mailboxId} = (select id from mailboxes where team_id = ${teamId} and name = ${mailbox.name})`]
  if (mailbox.tag !== null) all.push(sql`m.tag = ${mailbox.tag}`)
  if (mailbox.domain !== null) all.push(sql`m.domain = ${mailbox.domain}`)
  return all
}

function containsAny(dialect: Dialect, columns: Sql[], needle: Needle): Sql {
  const any = columns.flatMap((column) => needle.map((text) => dialect.contains(column, text)))
  return sql`(${joinSql(any, sql` or `)})`
}
