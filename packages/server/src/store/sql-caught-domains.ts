import type { CaughtDomain, CaughtDomainStore } from './caught-domains.ts'
import type { Database } from './database.ts'
import type { Team } from './mailboxes.ts'
import { sql } from './sql.ts'
import { TEAM } from './sql-team.ts'

export function caughtDomainStore({ read, writeFor }: Database): CaughtDomainStore {
  return {
    async addCaughtDomain({ teamId, domain, caughtAt }, domainsMax) {
      // The lock on the team makes the count exact.
      const [added] = await writeFor(
        teamId,
        sql`
          insert into caught_domains (domain, team_id, caught_at)
          select ${domain}, ${teamId}, ${caughtAt}
          where ${domainsMax} > (select count(*) from caught_domains where team_id = ${teamId})
          on conflict do nothing`,
      )
      if (added === 1) return 'added'
      return (await read(sql`select 1 from caught_domains where domain = ${domain}`)).length > 0 ? 'known' : 'limit'
    },

    // Served by caught_domains_by_team.
    listCaughtDomains: (teamId) =>
      read<CaughtDomain>(sql`
        select team_id as "teamId", domain, caught_at as "caughtAt"
        from caught_domains
        where team_id = ${teamId}
        order by caught_at desc, domain`),

    async removeCaughtDomain({ teamId, domain }) {
      const [removed] = await writeFor(
        teamId,
        sql`delete from caught_domains where domain = ${domain} and team_id = ${teamId}`,
      )
      return removed === 1
    },

    async findCatchingTeam(domain) {
      const [team] = await read<Team>(sql`
        select ${TEAM}
        from caught_domains c
        join teams t on t.id = c.team_id
        where c.domain = ${domain}`)
      return team ?? null
    },
  }
}
