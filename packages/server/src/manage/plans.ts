import { AppError } from '../domain/errors.ts'
import { PLANS } from '../domain/plans.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

/** A century. For longer, leave retention unlimited. */
const RETENTION_DAYS_MAX = 36_500

/** Omitted fields stay unchanged. Messages too old for the new plan disappear at once. */
export async function changePlan(
  { store }: { store: Pick<Store, 'updateTeam'> },
  team: Team,
  change: Partial<Pick<Team, 'plan' | 'retentionDays'>>,
): Promise<Team> {
  const changed = { ...team, ...change }
  // Custom retention applies only to plans that allow it.
  if (change.retentionDays === undefined && PLANS[changed.plan].retentionDays !== null) changed.retentionDays = null
  checkRetention(changed)
  await store.updateTeam(team.id, changed)
  return changed
}

/** Changes to a plan without custom retention, only while the team still has the plan that was read. */
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
      `The ${plan} plan keeps mail for ${PLANS[plan].retentionDays} days. Only enterprise teams can set their own retention.`,
    )
  }
  if (!Number.isInteger(retentionDays) || retentionDays < 1 || retentionDays > RETENTION_DAYS_MAX) {
    throw new AppError('validation_failed', `Retention must be 1 to ${RETENTION_DAYS_MAX} days, or unlimited.`)
  }
}
