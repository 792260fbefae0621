import { inGroups } from '../../domain/in-groups.ts'
import type { StoredSummary, View } from '../../store/messages.ts'
import type { Store } from '../../store/store.ts'
import type { FactsReader } from '../facts-reader.ts'
import { createTurns, SEARCH_TURNS } from '../turns.ts'
import { newestFirst } from '../walk.ts'
import { searchTextOf, type Facts } from './facts.ts'
import { matchesAll, timeFilterOf, type Term } from './query.ts'

/** Most searches for the newest match find it among the first. */
const NEWEST_PAGE = 20
/** Messages of a page that are read at the same time. */
const READ_AT_ONCE = 10

export type FoundMessage = StoredSummary & { isRead: boolean }

export type MailpitSearch = {
  /** All matches among the newest messages, newest first. */
  all(view: View, terms: Term[]): Promise<FoundMessage[]>
  /** The newest match. */
  newest(view: View, terms: Term[]): Promise<FoundMessage | null>
}

type Ports = { store: Pick<Store, 'listMessages' | 'findMessage' | 'readAmong'>; facts: FactsReader<Facts> }

export function createSearch({ store, facts }: Ports): MailpitSearch {
  const inTurn = createTurns(SEARCH_TURNS)

  async function* matching(given: View, terms: Term[], pageSize?: number): AsyncGenerator<FoundMessage[]> {
    const view = { ...given, filter: timeFilterOf(terms, given.filter) }
    for await (const page of newestFirst(store, view, pageSize)) {
      const positions = page.map(({ position }) => position)
      const read = new Set(await store.readAmong(view.teamId, positions))
      const candidates = page.map((one) => ({ ...one, isRead: read.has(one.position) }))
      const isMatch = await inGroups(candidates, READ_AT_ONCE, (one) => isMatching(view, terms, one))
      yield candidates.filter((_, index) => isMatch[index])
    }
  }

  async function isMatching(view: View, terms: Term[], message: FoundMessage): Promise<boolean> {
    const known = await facts(view, message)
    if (!known) return false
    return matchesAll(terms, {
      summary: message,
      facts: known,
      isRead: message.isRead,
      async searchText() {
        const whole = await store.findMessage(view, message.id)
        return whole ? searchTextOf(whole) : ''
      },
    })
  }

  return {
    all: (view, terms) =>
      inTurn(view.teamId, async () => {
        const all: FoundMessage[] = []
        for await (const page of matching(view, terms)) all.push(...page)
        return all
      }),
    newest: (view, terms) =>
      inTurn(view.teamId, async () => {
        for await (const [first] of matching(view, terms, NEWEST_PAGE)) if (first) return first
        return null
      }),
  }
}
