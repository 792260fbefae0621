import { failedParameters, needsContent, type MessageFilter, type ParameterName } from '../domain/match.ts'
import type { PassingMessage, Store, View } from '../store/store.ts'

const ARRIVALS_SHOWN = 20
/** Tests that run side by side get mail at the same time, and the nearest misses are to be found among all of it. */
const ARRIVALS_SEEN = 200
const WITHOUT_CURSOR_MS = 60_000

/** What did arrive while a test waited in vain, and why each message was not the one: what failed least comes first. */
export async function explain(
  { store, now }: { store: Pick<Store, 'arrivals' | 'firstPosition'>; now: () => number },
  view: View,
  after: number | null,
): Promise<{ message: PassingMessage; failed: ParameterName[] }[]> {
  const everything: MessageFilter = view.filter.mailboxId === undefined ? {} : { mailboxId: view.filter.mailboxId }
  if (after === null) everything.since = now() - WITHOUT_CURSOR_MS
  // What came before the minute is not even walked over.
  const first = after === null ? await store.firstPosition({ ...view, filter: everything }) : after + 1
  if (first === null) return []
  // Bodies may be large, so of those only as many are read as are shown.
  const withContent = needsContent(view.filter)
  const page = { after: first - 1, limit: withContent ? ARRIVALS_SHOWN : ARRIVALS_SEEN, withContent }
  const messages = await store.arrivals({ ...view, filter: everything }, page)
  return messages
    .map((message) => ({ message, failed: failedParameters(view.filter, message) }))
    .sort((one, other) => one.failed.length - other.failed.length)
    .slice(0, ARRIVALS_SHOWN)
}
