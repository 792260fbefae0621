import { checkCustomDomain } from '../domain/custom-domain.ts'
import { AppError } from '../domain/errors.ts'
import type { PlanName } from '../domain/plans.ts'
import type { NewKey, Store, Team } from '../store/store.ts'

type Ports = {
  store: Pick<Store, 'addTeam' | 'listTeams'>
  rootDomain: string
  newId: (now: number) => string
  now: () => number
}

export type TeamWish = { name: string; domain: string | null; plan: PlanName; isBootstrap?: boolean }

const TEAM_NAME_MAX = 100

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
  const at = now()
  const team: Team = { id: newId(at), name, plan: wish.plan, retentionDays: null, domain }
  const key = firstKey && (await firstKey(team.id))
  const outcome = await store.addTeam({ ...team, createdAt: at, isBootstrap: wish.isBootstrap ?? false }, key)
  if (outcome === 'taken') throw new AppError('mailbox_taken', `Another team has the domain ${domain}.`)
  return team
}

/** By id or by name; a name that several teams have is refused. */
export async function findTeam({ store }: Pick<Ports, 'store'>, idOrName: string): Promise<Team> {
  const teams = await store.listTeams()
  const found = teams.filter(({ id, name }) => id === idOrName || name === idOrName)
  if (found.length === 1) return found[0]!
  if (found.length > 1) throw new AppError('validation_failed', `Several teams are called ${idOrName}; give the id.`)
  throw new AppError('not_found', `There is no team ${idOrName}.`)
}
