import { checkCustomDomain } from '../domain/custom-domain.ts'
import { AppError } from '../domain/errors.ts'
import { PLANS, type PlanName } from '../domain/plans.ts'
import type { NewKey, Store, Team } from '../store/store.ts'

type Ports = {
  store: Pick<Store, 'addTeam' | 'updateTeam' | 'listTeams'>
  rootDomain: string
  newId: (now: number) => string
  now: () => number
}

export type TeamWish = {
  name: string
  domain: string | null
  plan: PlanName
  retentionDays?: number | null
  isBootstrap?: boolean
}

const TEAM_NAME_MAX = 100
/** A century; beyond, say that mail is kept. */
const RETENTION_DAYS_MAX = 36_500

/** `firstKey` makes the key that comes with the team: there is no team without it, even if the program dies now. */
export async function createTeam(
  { store, rootDomain, newId, now }: Ports,
  wish: TeamWish,
  firstKey: ((teamId: string) => Promise<NewKey>) | null = null,
): Promise<Team> {
  const name = wish.name.trim()
  if (name === '' || name.length > TEAM_NAME_MAX) {
    throw new AppError('validation_failed', `A team's name has 1 to ${TEAM_NAME_MAX} characters.`)
  }
  const checked = checkCustomDomain(wish.domain, rootDomain)
  if ('message' in checked) throw new AppError('validation_failed', checked.message)
  const { domain } = checked
  const { plan, retentionDays = null } = wish
  checkRetention({ plan, retentionDays })
  const at = now()
  const team: Team = { id: newId(at), name, plan, retentionDays, domain }
  const key = firstKey && (await firstKey(team.id))
  const outcome = await store.addTeam({ ...team, createdAt: at, isBootstrap: wish.isBootstrap ?? false }, key)
  if (outcome === 'taken') throw new AppError('mailbox_taken', `Another team has the domain ${domain}.`)
  return team
}

/** What the change leaves out stays. Messages that are too old for the new plan are gone at once. */
export async function changeTeam(
  { store }: Pick<Ports, 'store'>,
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

function checkRetention({ plan, retentionDays }: Pick<Team, 'plan' | 'retentionDays'>): void {
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

/** By id or by name; a name that several teams have is refused. */
export async function findTeam({ store }: Pick<Ports, 'store'>, idOrName: string): Promise<Team> {
  const teams = await store.listTeams()
  const found = teams.filter(({ id, name }) => id === idOrName || name === idOrName)
  if (found.length === 1) return found[0]!
  if (found.length > 1) throw new AppError('validation_failed', `Several teams are called ${idOrName}; give the id.`)
  throw new AppError('not_found', `There is no team ${idOrName}.`)
}
