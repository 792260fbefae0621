import { checkCustomDomain } from '../domain/custom-domain.ts'
import { AppError } from '../domain/errors.ts'
import type { PlanName } from '../domain/plans.ts'
import type { NewKey, Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'
import { checkRetention } from './plans.ts'

type Ports = {
  store: Pick<Store, 'addTeam' | 'listTeams'>
  rootDomain: string
  newId: (now: number) => string
  now: () => number
}

export type NewTeamPorts = {
  store: Pick<Store, 'addTeamFor'>
  newId: (now: number) => string
  now: () => number
}

export type TeamInput = {
  name: string
  domain: string | null
  plan: PlanName
  retentionDays?: number | null
  isBootstrap?: boolean
}

export const TEAM_NAME_MAX = 100

/** `firstKey` creates the key of the team. Both are stored together, so a crash cannot leave a team without a key. */
export async function createTeam(
  { store, rootDomain, newId, now }: Ports,
  input: TeamInput,
  firstKey: ((teamId: string) => Promise<NewKey>) | null = null,
): Promise<Team> {
  const name = chosenTeamName(input.name)
  const checked = checkCustomDomain(input.domain, rootDomain)
  if ('message' in checked) throw new AppError('validation_failed', checked.message)
  const { domain } = checked
  const { plan, retentionDays = null } = input
  checkRetention({ plan, retentionDays })
  const at = now()
  const team: Team = { id: newId(at), name, plan, retentionDays, domain }
  const key = firstKey && (await firstKey(team.id))
  const outcome = await store.addTeam({ ...team, createdAt: at, isBootstrap: input.isBootstrap ?? false }, key)
  if (outcome === 'taken') throw domainTaken(domain)
  return team
}

/** Creates the team of a user who has none. The user becomes its owner. */
export async function startTeam(
  { store, newId, now }: NewTeamPorts,
  { userId, name, plan }: { userId: string; name: string; plan: PlanName },
): Promise<Team> {
  const at = now()
  const team: Team = { id: newId(at), name: chosenTeamName(name), plan, retentionDays: null, domain: null }
  const outcome = await store.addTeamFor(userId, { ...team, createdAt: at })
  if (outcome === 'has team') throw new AppError('team_exists', 'You already have a team.')
  return team
}

/** The normalised name. Throws if it is invalid. */
export function chosenTeamName(input: string): string {
  const name = input
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .trim()
  if (name !== '' && name.length <= TEAM_NAME_MAX) return name
  throw new AppError('validation_failed', `A team name has 1 to ${TEAM_NAME_MAX} characters.`)
}

export function domainTaken(domain: string | null): AppError {
  return new AppError('domain_taken', `Another team has the domain ${domain}.`)
}

/** By id or name. Refuses a name that several teams have. */
export async function findTeam({ store }: Pick<Ports, 'store'>, idOrName: string): Promise<Team> {
  const teams = await store.listTeams()
  const found = teams.filter(({ id, name }) => id === idOrName || name === idOrName)
  if (found.length === 1) return found[0]!
  if (found.length > 1) throw new AppError('validation_failed', `Several teams are named ${idOrName}. Use the id.`)
  throw new AppError('not_found', `There is no team ${idOrName}.`)
}
