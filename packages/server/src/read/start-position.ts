import type { MessageFilter } from '../domain/match.ts'
import { oldestVisible } from '../domain/plans.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

type Ports = { store: Pick<Store, 'newestPosition' | 'firstPosition'>; now: () => number }

export type Start = {
  filter: MessageFilter
  /** A position. Without one, reading starts at the filter's `since`, or now. */
  after: number | null
}

/** The position after which a follower receives everything. */
export async function startPosition({ store, now }: Ports, team: Team, { filter, after }: Start): Promise<number> {
  const newest = await store.newestPosition(team.id)
  // A cursor beyond the newest position is from another team or database. Nothing would ever arrive after it.
  if (after !== null) return Math.min(after, newest)
  if (filter.since === undefined) return newest
  const view = { teamId: team.id, oldestReceivedAt: oldestVisible(team, now()), filter }
  const first = await store.firstPosition(view)
  return first === null ? newest : first - 1
}
