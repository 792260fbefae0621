const DAY_MS = 86_400_000

// The earliest time of a Date. Unlike 0, it is before mail with a date in the sixties. Unlike -Infinity, it is an
// integer, so both databases accept it as a parameter.
const EARLIEST_TIME_MS = -8_640_000_000_000_000

/** `null` means unlimited. For `retentionDays`, it means that each team has its own value. */
export type Plan = {
  retentionDays: number | null
  mailboxes: number | null
  keys: number | null
  members: number | null
  webhooks: boolean
  requestsPerMinute: number
}

export type PlanName = 'starter' | 'pro' | 'enterprise'

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  starter: { retentionDays: 14, mailboxes: 1, keys: 1, members: 1, webhooks: false, requestsPerMinute: 60 },
  pro: { retentionDays: 90, mailboxes: 20, keys: 10, members: 15, webhooks: true, requestsPerMinute: 1_000 },
  enterprise: {
    retentionDays: null,
    mailboxes: null,
    keys: null,
    members: null,
    webhooks: true,
    requestsPerMinute: 5_000,
  },
}

type TeamRetention = { plan: PlanName; retentionDays: number | null }

export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(PLANS, name)
}

/** How many days the team's messages are kept. Null if they are kept until they are deleted. */
export function retentionDays(team: TeamRetention): number | null {
  return PLANS[team.plan].retentionDays ?? team.retentionDays
}

/** The earliest `receivedAt` that is still visible. */
export function oldestVisible(team: TeamRetention, now: number): number {
  const days = retentionDays(team)
  return days === null ? EARLIEST_TIME_MS : now - days * DAY_MS
}
