import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inGroups } from '../../domain/in-groups.ts'
import type { StoredSummary, View } from '../../store/messages.ts'
import type { Store } from '../../store/store.ts'
import { createTurns, SEARCH_TURNS } from '../turns.ts'
import { isMailRead, positionsOf, type Copies } from '../mails.ts'
import { newestMailsFirst, slicesOf } from '../walk.ts'
import { createTimes } from './facts.ts'

/** Emails of a page that are read at the same time. */
const READ_AT_ONCE = 10
/** Emails whose times are read before other work gets a turn. */
const SORTED_AT_ONCE = 200

export type FoundEmail = { copies: Copies<StoredSummary>; isRead: boolean }

/** By the time that the mails say. Null for the order of arrival. */
export type EmailOrder = 'asc' | 'desc' | null

/** All matches among the newest messages; or the newest ones, if `max` is enough. */
export type MaildevSearch = (
  view: View,
  isMatch: (email: FoundEmail) => Promise<boolean>,
  options: { max: number; order: EmailOrder },
) => Promise<FoundEmail[]>

export function createSearch(store: Pick<Store, 'listMessages' | 'findMessage' | 'readAmong'>): MaildevSearch {
  const inTurn = createTurns(SEARCH_TURNS)
  const timeOf = createTimes(store)

  async function find(view: View, isMatch: Parameters<MaildevSearch>[1], max: number): Promise<FoundEmail[]> {
    const found: FoundEmail[] = []
    for await (const page of newestMailsFirst(store, view)) {
      const read = new Set(page.length > 0 ? await store.readAmong(view.teamId, positionsOf(page)) : [])
      const candidates = page.map((copies) => ({ copies, isRead: isMailRead(copies, read) }))
      const matches = await inGroups(candidates, READ_AT_ONCE, isMatch)
      found.push(...candidates.filter((_, index) => matches[index]))
      if (found.length >= max) break
    }
    return found.slice(0, max).reverse()
  }

  async function sort(view: View, found: FoundEmail[], order: 'asc' | 'desc'): Promise<FoundEmail[]> {
    const timed: { email: FoundEmail; time: number }[] = []
    for (const some of slicesOf(found, SORTED_AT_ONCE)) {
      view.proceed?.()
      const times = await inGroups(some, READ_AT_ONCE, ({ copies }) => timeOf(view, copies[0]))
      timed.push(...some.map((email, index) => ({ email, time: times[index] ?? email.copies[0].receivedAt })))
      await yieldToEventLoop()
    }
    const direction = order === 'asc' ? 1 : -1
    return timed.sort((one, other) => direction * (one.time - other.time)).map(({ email }) => email)
  }

  return (view, isMatch, { max, order }) => {
    const search = async () => {
      const found = await find(view, isMatch, max)
      return order === null ? found : sort(view, found, order)
    }
    return inTurn(view.teamId, search, view.proceed)
  }
}
