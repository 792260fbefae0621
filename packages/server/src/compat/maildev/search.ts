import { inGroups } from '../../domain/in-groups.ts'
import type { StoredSummary, View } from '../../store/messages.ts'
import type { Store } from '../../store/store.ts'
import { createTurns, SEARCH_TURNS } from '../turns.ts'
import { newestFirst } from '../walk.ts'

/** Messages of a page that are read at the same time. */
const READ_AT_ONCE = 10

export type FoundEmail = StoredSummary & { isRead: boolean }

/** All matches among the newest messages, newest first; or the first ones, if `max` is enough. */
export type MaildevSearch = (
  view: View,
  isMatch: (message: FoundEmail) => Promise<boolean>,
  max?: number,
) => Promise<FoundEmail[]>

export function createSearch(store: Pick<Store, 'listMessages' | 'readAmong'>): MaildevSearch {
  const inTurn = createTurns(SEARCH_TURNS)
  return (view, isMatch, max = Infinity) => {
    const search = async () => {
      const found: FoundEmail[] = []
      for await (const page of newestFirst(store, view)) {
        const positions = page.map(({ position }) => position)
        const read = new Set(await store.readAmong(view.teamId, positions))
        const candidates = page.map((one) => ({ ...one, isRead: read.has(one.position) }))
        const matches = await inGroups(candidates, READ_AT_ONCE, isMatch)
        found.push(...candidates.filter((_, index) => matches[index]))
        if (found.length >= max) break
      }
      return found.slice(0, max)
    }
    return inTurn(view.teamId, search, view.proceed)
  }
}
