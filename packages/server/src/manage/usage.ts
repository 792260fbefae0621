import { oldestVisible, PLANS, retentionDays, type PlanName } from '../domain/plans.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

type Ports = { store: Pick<Store, 'usageOf' | 'countMessages'>; now: () => number }

/** `limit` is null for unlimited. */
export type Used = { used: number; limit: number | null }

export type TeamUsage = {
  plan: PlanName
  retentionDays: number | null
  requestsPerMinute: number
  messages: number
  mailboxes: Used
  keys: Used
  members: Used
  webhooks: { used: number; isAvailable: boolean }
}

/** What a team uses of its plan's limits. */
export async function usageOf({ store, now }: Ports, team: Team): Promise<TeamUsage> {
  const plan = PLANS[team.plan]
  const view = { teamId: team.id, oldestReceivedAt: oldestVisible(team, now()), filter: {} }
  const [used, messages] = await Promise.all([store.usageOf(team.id), store.countMessages(view)])
  return {
    plan: team.plan,
    retentionDays: retentionDays(team),
    requestsPerMinute: plan.requestsPerMinute,
    messages,
    mailboxes: { used: used.mailboxes, limit: plan.mailboxes },
    keys: { used: used.keys, limit: plan.keys },
    members: { used: used.members, limit: plan.members },
    webhooks: { used: used.endpoints, isAvailable: plan.webhooks },
  }
}
