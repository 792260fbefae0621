import { failedParameters, type MessageFilter, type ParameterName } from '../domain/match.ts'
import type { PassingMessage, Store, View } from '../store/store.ts'

const ARRIVALS_SHOWN = 20
const WITHOUT_CURSOR_MS = 60_000

/** What did arrive while a test waited in vain, and why each message was not the one. */
export async function explain(
  { store, now }: { store: Pick<Store, 'arrivals'>; now: () => number },
  view: View,
  after: number | null,
): Promise<{ message: PassingMessage; failed: ParameterName[] }[]> {
  const everything: MessageFilter = view.filter.mailboxId === undefined ? {} : { mailboxId: view.filter.mailboxId }
  if (after === null) everything.since = now() - WITHOUT_CURSOR_MS
  const page = { after: after ?? 0, limit: ARRIVALS_SHOWN }
  const messages = await store.arrivals({ ...view, filter: everything }, page)
  return messages.map((message) => ({ message, failed: failedParameters(view.filter, message) }))
}
