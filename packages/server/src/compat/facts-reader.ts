import type { StoredMessage, StoredSummary, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { LOOKED_AT_MAX } from './walk.ts'

/** Messages do not change, so what a search needs of them is kept: about half a kilobyte each. */
const KEPT_MAX = LOOKED_AT_MAX
/** As JSON. Some mails name thousands of addresses, and they are read again for each search. */
const FACTS_LENGTH_MAX = 2_048
/** Of all facts that are kept. In memory, many short texts take several times as much. */
const KEPT_LENGTH_MAX = 32_000_000

/** The length of facts of a message, as JSON. Null if they are too long to be kept. */
export function keptLengthOf(facts: unknown): number | null {
  const { length } = JSON.stringify(facts)
  return length <= FACTS_LENGTH_MAX ? length : null
}

/** Null if the message has been deleted. */
export type FactsReader<Facts> = (view: View, summary: StoredSummary) => Promise<Facts | null>

/** Reads what a search needs of a message, and keeps it. */
export function createFactsReader<Facts extends number | object>(
  store: Pick<Store, 'findMessage'>,
  factsOf: (message: StoredMessage) => Facts,
): FactsReader<Facts> {
  // Those that were read first are the first.
  const kept = new Map<string, { facts: Facts; length: number }>()
  let keptLength = 0

  function keep(key: string, facts: Facts): void {
    const length = keptLengthOf(facts)
    // Another search may have read the same message.
    if (length === null || kept.has(key)) return
    kept.set(key, { facts, length })
    keptLength += length
    while (kept.size > KEPT_MAX || keptLength > KEPT_LENGTH_MAX) forgetFirst()
  }

  function forgetFirst(): void {
    const [key, { length }] = kept.entries().next().value!
    kept.delete(key)
    keptLength -= length
  }

  return async (view, { id }) => {
    const key = `${view.teamId} ${id}`
    const known = kept.get(key)
    if (known) return known.facts
    const message = await store.findMessage(view, id)
    if (!message) return null
    const facts = factsOf(message)
    keep(key, facts)
    return facts
  }
}
