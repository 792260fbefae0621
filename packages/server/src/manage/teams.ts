import { checkCustomDomain } from '../domain/custom-domain.ts'
import { AppError } from '../domain/errors.ts'
import type { PlanName } from '../domain/plans.ts'
import type { NewKey, Store, Team } from '../store/store.ts'
import { checkRetention } from './plans.ts'

type Ports = {
  store: Pick<Store, 'addTeam' | 'listTeams'>
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

export const TEAM_NAME_MAX = 100

/** `firstKey` makes the key that comes with the team: there is no team without it, even if the program dies now. */
export async function createTeam(
  { store, rootDomain, newId, now }: Ports,
  wish: TeamWish,
  firstKey: ((teamId: string) => Promise<NewKey>) | null = null,
): Promise<Team> {
  const name = chosenTeamName(wish.name)
  const checked = checkCustomDomain(wish.domain, rootDomain)
  if ('message' in checked) throw new AppError('validation_failed', checked.message)
  const { domain } = checked
  const { plan, retentionDays = null } = wish
  checkRetention({ plan, retentionDays })
  const at = now()
  const team: Team = { id: newId(at), name, plan, retentionDays, domain }
  const key = firstKey && (await firstKey(team.id))
  const outcome = await store.addTeam({ ...team, createdAt: at, isBootstrap: wish.isBootstrap ?? false }, key)
  if (outcome === 'taken') throw domainTaken(domain)
  return team
}

/** A team of someone who signed in, and has none yet; they own it. */
export async function startTeam(
  { store, newId, now }: Pick<Ports, 'newId' | 'now'> & { store: Pick<Store, 'addTeamFor'> },
  { userId, name, plan }: { userId: string; name: string; plan: PlanName },
): Promise<Team> {
  const at = now()
  const team: Team = { id: newId(at), name: chosenTeamName(name), plan, retentionDays: null, domain: null }
  const outcome = await store.addTeamFor(userId, { ...team, createdAt: at })
  if (outcome === 'has team') throw new AppError('team_exists', 'You already have a team.')
  return team
}

/** The name as it is kept; throws when it may not be chosen. */
export function chosenTeamName(wish: string): string {
  const name = wish
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .trim()
  if (name !== '' && name.length <= TEAM_NAME_MAX) return name
  throw new AppError('validation_failed', `A team's name has 1 to ${TEAM_NAME_MAX} characters.`)
}

export function domainTaken(domain: string | null): AppError {
  return new AppError('domain_taken', `Another team has the domain ${domain}.`)
}

/** By id or by name; a name that several teams have is refused. */
export async function findTeam({ store }: Pick<Ports, 'store'>, idOrName: string): Promise<Team> {
  const teams = await store.listTeams()
  const found = teams.filter(({ id, name }) => id === idOrName || name === idOrName)
  if (found.length === 1) return found[0]!
  if (found.length > 1) throw new AppError('validation_failed', `Several teams are called ${idOrName}; give the id.`)
  throw new AppError('not_found', `There is no team ${idOrName}.`)
}
