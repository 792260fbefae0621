import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { isAnyWord } from '../domain/search-words.ts'
import type { View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

/** Rows per transaction. It takes a few milliseconds, during which arriving mail has to wait. */
export const ROWS_PER_MARK = 100

/** A position replaces the marks of this many messages in a transaction of a few milliseconds, if few of them are unread. */
const ADVANCE = { step: 2_000, unreadMax: 4 }

type Ports = Pick<Store, 'markMessages' | 'markAllRead' | 'advanceReadThrough' | 'followMessages' | 'newestPosition'>

/** Marks what the view shows up to a position as read. Null for what it shows now, without later arrivals. */
export async function markMatchingRead(store: Ports, view: View, { after, upTo }: Range): Promise<void> {
  const newest = await store.newestPosition(view.teamId)
  const last = Math.min(upTo ?? newest, newest)
  // Marking the unread ones among all messages is marking all.
  const { isUnread: _, ...words } = view.words ?? {}
  const isFiltered =
    after !== null || isAnyWord(words) || Object.values(view.filter).some((value) => value !== undefined)
  if (!isFiltered) return store.markAllRead(view.teamId, last)
  for (let position = after ?? 0; ;) {
    const page = await store.followMessages(view, { after: position, upTo: last, limit: ROWS_PER_MARK })
    const positions = page.slice(0, ROWS_PER_MARK).map((message) => message.position)
    if (positions.length > 0) await store.markMessages(view.teamId, positions, true)
    if (page.length <= ROWS_PER_MARK) break
    position = positions.at(-1)!
    await yieldToEventLoop()
  }
  // So that a search for unread messages need not check each of those with a mark.
  while (await store.advanceReadThrough(view.teamId, { ...ADVANCE, upTo: last })) await yieldToEventLoop()
}

type Range = { after: number | null; upTo: number | null }
