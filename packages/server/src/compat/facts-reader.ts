import type { StoredMessage, StoredSummary, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { LOOKED_AT_MAX } from './walk.ts'

/** Messages do not change, so what a search needs of them is kept: about half a kilobyte each. */
const KEPT_MAX = LOOKED_AT_MAX

/** Null if the message has been deleted. */
export type FactsReader<Facts> = (view: View, summary: StoredSummary) => Promise<Facts | null>

/** Reads what a search needs of a message. `isSmall` says which facts may be kept. */
export function createFactsReader<Facts>(
  store: Pick<Store, 'findMessage'>,
  { factsOf, isSmall }: { factsOf: (message: StoredMessage) => Facts; isSmall: (facts: Facts) => boolean },
): FactsReader<Facts> {
  const kept = new Map<string, Facts>()
  return async (view, { id }) => {
    const key = `${view.teamId} ${id}`
    const known = kept.get(key)
    if (known) return known
    const message = await store.findMessage(view, id)
    if (!message) return null
    const facts = factsOf(message)
    if (isSmall(facts)) {
      kept.set(key, facts)
      if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!)
    }
    return facts
  }
}
