import { failedParameters, needsContent, type MessageFilter, type ParameterName } from '../domain/match.ts'
import type { PassingMessage, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

const ARRIVALS_SHOWN = 20
/** Parallel tests receive mail at the same time, and the closest matches must be found among all of it. */
const ARRIVALS_READ = 200
const WITHOUT_CURSOR_MS = 60_000

/** Messages that arrived while a test waited, and why each did not match. The closest match comes first. */
export async function explain(
  { store, now }: { store: Pick<Store, 'arrivals' | 'firstPosition'>; now: () => number },
  view: View,
  after: number | null,
): Promise<{ message: PassingMessage; failed: ParameterName[] }[]> {
  const everything: MessageFilter = view.filter.mailboxId === undefined ? {} : { mailboxId: view.filter.mailboxId }
  if (after === null) everything.since = now() - WITHOUT_CURSOR_MS
  // Skips everything before the minute.
  const first = after === null ? await store.firstPosition({ ...view, filter: everything }) : after + 1
  if (first === null) return []
  // Bodies can be large, so read only as many as are shown.
  const withContent = needsContent(view.filter)
  const page = { after: first - 1, limit: withContent ? ARRIVALS_SHOWN : ARRIVALS_READ, withContent }
  const messages = await store.arrivals({ ...view, filter: everything }, page)
  return messages
    .map((message) => ({ message, failed: failedParameters(view.filter, message) }))
    .sort((one, other) => one.failed.length - other.failed.length)
    .slice(0, ARRIVALS_SHOWN)
}
