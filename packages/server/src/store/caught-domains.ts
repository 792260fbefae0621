import type { Team } from './mailboxes.ts'

export type CaughtDomain = { teamId: string; domain: string; caughtAt: number }

/** Domains that no team has, and the team that receives their mail. */
export type CaughtDomainStore = {
  /** `known` if the domain is caught already; `limit` if the team catches that many. */
  addCaughtDomain(caught: CaughtDomain, domainsMax: number): Promise<'added' | 'known' | 'limit'>
  /** Newest first. */
  listCaughtDomains(teamId: string): Promise<CaughtDomain[]>
  /** False if the team does not catch the domain. */
  removeCaughtDomain(where: Pick<CaughtDomain, 'teamId' | 'domain'>): Promise<boolean>
  findCatchingTeam(domain: string): Promise<Team | null>
}
