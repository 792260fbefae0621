import type { MessageFilter } from '../domain/match.ts'
import { oldestVisible } from '../domain/plans.ts'
import type { Store, Team } from '../store/store.ts'

type Ports = { store: Pick<Store, 'newestPosition' | 'firstPosition'>; now: () => number }

export type Start = {
  filter: MessageFilter
  /** A position; without it one begins with the filter's `since`, else now. */
  after: number | null
}

/** The place behind which everything is to be sent to a follower. */
export async function startPosition({ store, now }: Ports, team: Team, { filter, after }: Start): Promise<number> {
  const newest = await store.newestPosition(team.id)
  // A cursor of the future is from another team or another database: nothing would ever come.
  if (after !== null) return Math.min(after, newest)
  if (filter.since === undefined) return newest
  const view = { teamId: team.id, oldestReceivedAt: oldestVisible(team, now()), filter }
  const first = await store.firstPosition(view)
  return first === null ? newest : first - 1
}
