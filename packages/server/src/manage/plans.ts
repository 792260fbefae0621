import { AppError } from '../domain/errors.ts'
import { PLANS } from '../domain/plans.ts'
import type { Store, Team } from '../store/store.ts'

/** A century; beyond, say that mail is kept. */
const RETENTION_DAYS_MAX = 36_500

/** What the change leaves out stays. Messages that are too old for the new plan are gone at once. */
export async function changePlan(
  { store }: { store: Pick<Store, 'updateTeam'> },
  team: Team,
  change: Partial<Pick<Team, 'plan' | 'retentionDays'>>,
): Promise<Team> {
  const changed = { ...team, ...change }
  // Days of its own mean nothing on another plan.
  if (change.retentionDays === undefined && PLANS[changed.plan].retentionDays !== null) changed.retentionDays = null
  checkRetention(changed)
  await store.updateTeam(team.id, changed)
  return changed
}

/** To a plan without days of its own, and only while the team has the plan that was read. */
export async function replacePlan(
  { store }: { store: Pick<Store, 'updateTeam'> },
  team: Team,
  plan: 'starter' | 'pro',
): Promise<boolean> {
  return store.updateTeam(team.id, { plan, retentionDays: null }, team.plan)
}

export function checkRetention({ plan, retentionDays }: Pick<Team, 'plan' | 'retentionDays'>): void {
  if (retentionDays === null) return
  if (PLANS[plan].retentionDays !== null) {
    throw new AppError(
      'validation_failed',
      `The plan ${plan} keeps mail for ${PLANS[plan].retentionDays} days; only enterprise teams have days of their own.`,
    )
  }
  if (!Number.isInteger(retentionDays) || retentionDays < 1 || retentionDays > RETENTION_DAYS_MAX) {
    throw new AppError('validation_failed', `Mail is kept for 1 to ${RETENTION_DAYS_MAX} days, or for ever.`)
  }
}
