import type { MessageFilter, Needle } from '../domain/match.ts'
import type { Dialect } from './database.ts'
import { joinSql, listOf, sql, type Sql } from './sql.ts'
import type { View } from './store.ts'

/** Up to here, walking the positions one by one is cheaper than any other way in. */
const SHORT_WALK = 10_000

/** The SQL twin of domain/match: conditions on `messages m` (and `message_contents c` where `needsContent`). */
export function conditions(dialect: Dialect, { teamId, oldestReceivedAt, filter }: View): Sql {
  // Retention bounds every read. The `+` tells SQLite that this is no reason to walk the time index.
  const all = [sql`m.team_id = ${teamId}`, sql`+m.received_at >= ${oldestReceivedAt}`]
  if (filter.mailboxId !== undefined) all.push(sql`m.mailbox_id = ${filter.mailboxId}`)
  if (filter.mailbox) all.push(...mailboxConditions(teamId, filter.mailbox))
  if (filter.tag !== undefined) all.push(sql`m.tag = ${filter.tag}`)
  if (filter.tags) all.push(sql`m.tag in (${listOf(filter.tags)})`)
  if (filter.to) all.push(containsAny(dialect, [sql`m.recipient_folded`], filter.to))
  if (filter.from) all.push(containsAny(dialect, [sql`m.sender_folded`], filter.from))
  if (filter.subject) all.push(containsAny(dialect, [sql`m.subject_folded`], filter.subject))
  if (filter.text) all.push(containsAny(dialect, [sql`c.body_folded`], filter.text))
  if (filter.q) all.push(containsAny(dialect, SEARCHED, filter.q))
  if (filter.header) all.push(dialect.hasHeader(sql`c.headers`, filter.header))
  if (filter.start !== undefined) all.push(sql`m.received_at >= ${filter.start}`)
  if (filter.end !== undefined) all.push(sql`m.received_at < ${filter.end}`)
  if (filter.since !== undefined) all.push(sql`m.received_at >= ${filter.since}`)
  const candidates = indexedCandidates(dialect, filter)
  if (candidates) all.push(candidates)
  return joinSql(all, sql` and `)
}

const SEARCHED = [
  sql`m.subject_folded`,
  sql`m.sender_folded`,
  sql`m.recipient_folded`,
  sql`m.mailbox_with_tag_folded`,
  sql`c.body_folded`,
]

/**
 * The order of lists. When few positions lie after the cursor, the `+` keeps SQLite from walking the time index, so
 * that it reads just those positions and sorts them.
 */
export function newestFirst(positionsAfterCursor: number): Sql {
  return positionsAfterCursor <= SHORT_WALK
    ? sql`order by +m.received_at desc, +m.position desc`
    : sql`order by m.received_at desc, m.position desc`
}

function mailboxConditions(teamId: string, mailbox: NonNullable<MessageFilter['mailbox']>): Sql[] {
  const all = [sql`m.mailbox_id = (select id from mailboxes where team_id = ${teamId} and name = ${mailbox.name})`]
  if (mailbox.tag !== null) all.push(sql`m.tag = ${mailbox.tag}`)
  if (mailbox.domain !== null) all.push(sql`m.domain = ${mailbox.domain}`)
  return all
}

function containsAny(dialect: Dialect, columns: Sql[], needle: Needle): Sql {
  const any = columns.flatMap((column) => needle.map((text) => dialect.contains(column, text)))
  return sql`(${joinSql(any, sql` or `)})`
}

/** A mailbox or tag narrows further than text does, so the text index serves only where neither is given. */
function indexedCandidates(dialect: Dialect, filter: MessageFilter): Sql | null {
  if (filter.mailboxId ?? filter.mailbox ?? filter.tag ?? filter.tags) return null
  const needle = [filter.to, filter.subject, filter.from].find((given) => given?.length === 1)
  return needle ? dialect.mayContain(needle[0]!) : null
}
