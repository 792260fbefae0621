const DAY_MS = 86_400_000

// The earliest moment a Date can hold: unlike 0 it is before mail with a date of the sixties, and unlike
// -Infinity it is an integer, so both databases take it as a parameter.
const BEGINNING_OF_TIME_MS = -8_640_000_000_000_000

/** `null` means without limit; for `retentionDays`, that each team has its own. */
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

type RetainingTeam = { plan: PlanName; retentionDays: number | null }

export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(PLANS, name)
}

/** Days that the team's messages are kept, `null` for ever. */
export function retentionDays(team: RetainingTeam): number | null {
  return PLANS[team.plan].retentionDays ?? team.retentionDays
}

/** The earliest `receivedAt` that reads may still show. */
export function oldestVisible(team: RetainingTeam, now: number): number {
  const days = retentionDays(team)
  return days === null ? BEGINNING_OF_TIME_MS : now - days * DAY_MS
}
