import type { SearchWords } from '../domain/search-words.ts'
import type { Database } from './database.ts'
import { createPage, type PageSearch } from './message-page.ts'
import { inOrder, WALK_LIMITS, type WalkLimits } from './message-walk.ts'
import { sql } from './sql.ts'
import type { ListAnchor } from './messages.ts'

/**
 * Returns exactly what one query would return, for a search for unread or for read messages of which the team has few.
 * Null otherwise. A walk would check all messages for them.
 */
export async function searchMarked<Row extends ListAnchor>(
  database: Database,
  search: PageSearch<Row>,
  limits: WalkLimits = WALK_LIMITS,
): Promise<Row[] | null> {
  const { view, wanted } = search
  const isRead = wantedState(view.words)
  if (isRead === null) return null
  const candidates = await readFew(database, view.teamId, { isRead, most: limits.marked })
  if (!candidates) return null
  const page = createPage(database, search)
  await page.check(inOrder(candidates, wanted), () => page.rows().length === wanted.limit)
  return page.rows()
}

/** Whether all results are read, or all unread; null if the search does not say. */
function wantedState({ isUnread, without = [] }: SearchWords = {}): boolean | null {
  if (isUnread) return false
  const isWithoutUnread = without.some(({ filter, words }) => {
    const given = Object.values({ ...filter, ...words }).filter((value) => value !== undefined)
    return words.isUnread === true && given.length === 1
  })
  return isWithoutUnread ? true : null
}

/**
 * All messages that may have the state: those on its side of `read_through`, and those with a mark. Null if there are too
 * many. The orders keep both databases from reading anything but the named indexes.
 */
async function readFew(
  { dialect, read }: Database,
  teamId: string,
  { isRead, most }: { isRead: boolean; most: number },
): Promise<ListAnchor[] | null> {
  const through = sql`(select read_through from team_state where team_id = ${teamId})`
  const limit = dialect.limit(most + 1)
  // Served by the primary key.
  const onSide = await read<{ position: number }>(sql`
    select position from messages
    where team_id = ${teamId} and ${isRead ? sql`position <= ${through}` : sql`position > ${through}`}
    order by position ${limit}`)
  // Served by read_marks_by_state.
  const marked = await read<{ position: number }>(sql`
    select position from read_marks
    where team_id = ${teamId} and is_read = ${isRead ? 1 : 0}
    order by position ${limit}`)
  if (onSide.length + marked.length > most) return null
  const positions = [...onSide, ...marked].map(({ position }) => position)
  if (positions.length === 0) return []
  return read<ListAnchor>(sql`
    select received_at as "receivedAt", position from messages m
    where ${dialect.atPositions(sql`m`, teamId, positions)}`)
}
