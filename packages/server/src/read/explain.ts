import { isNearAddress } from '../domain/near-address.ts'
import { failedParameters, needsContent, type MessageFilter, type ParameterName } from '../domain/match.ts'
import type { PassingMessage, Rejection, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

const ARRIVALS_SHOWN = 20
/** Parallel tests receive mail at the same time, and the closest matches must be found among all of it. */
const ARRIVALS_READ = 200
const WITHOUT_CURSOR_MS = 60_000
/** Longer than tests wait, so that a refusal at the start of a wait is still shown at its end. */
const REFUSED_WITHIN_MS = 300_000
/** As many as are kept, so that the closest are found among all of them. */
const REFUSALS_READ = 1_000
/** If none of the refused mail is near. An app in development may send to addresses that no test waits for. */
const OTHER_REFUSALS_SHOWN = 3

/**
 * Messages that arrived while a test waited, and why each did not match. The closest match comes first; of equals, one for
 * a similar address.
 */
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
    .map((message) => {
      const failed = failedParameters(view.filter, message)
      return { message, failed, distance: failed.length + (isNearAddress(view.filter, message.to) ? 0 : 0.5) }
    })
    .sort((one, other) => one.distance - other.distance)
    .slice(0, ARRIVALS_SHOWN)
}

/** Recently refused mail for a similar address; if there is none, the newest for others. `teamId` is null for all teams. */
export async function explainRefusals(
  { store, now }: { store: Pick<Store, 'listRejections'>; now: () => number },
  teamId: string | null,
  filter: MessageFilter,
): Promise<Rejection[]> {
  const refused = await store.listRejections(teamId, { since: now() - REFUSED_WITHIN_MS, limit: REFUSALS_READ })
  const near = refused.filter(({ to }) => isNearAddress(filter, to))
  return near.length > 0 ? near.slice(0, ARRIVALS_SHOWN) : refused.slice(0, OTHER_REFUSALS_SHOWN)
}
