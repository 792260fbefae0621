import type { Database } from './database.ts'
import { sql, type Sql } from './sql.ts'
import type { Rejection } from './messages.ts'
import type { Store } from './store.ts'

/** Rejections kept per team, and for all unknown domains together. */
const KEPT_MAX = 1_000
/** Ids grow with the time. The rest starts at random, because several processes write at once. Below 2^53 until the year 2109. */
const IDS_PER_MS = 2_048
/** The team of mail for an unknown domain. */
const NO_TEAM = ''

export function rejectionStore({ read, write }: Database): Pick<Store, 'addRejections' | 'listRejections'> {
  let lastId = 0

  /** In the order of the calls. */
  function nextId(at: number): number {
    lastId = Math.max(lastId + 1, at * IDS_PER_MS + Math.floor(Math.random() * IDS_PER_MS))
    return lastId
  }

  async function teamsOf(domains: string[]): Promise<Map<string, string>> {
    const teams = new Map<string, string>()
    for (const domain of domains) {
      const [team] = await read<{ id: string }>(sql`select id from teams where domain = ${domain}`)
      teams.set(domain, team?.id ?? NO_TEAM)
    }
    return teams
  }

  return {
    async addRejections(rejections) {
      const teams = await teamsOf(Array.from(new Set(rejections.map(({ domain }) => domain))))
      for (const teamId of new Set(teams.values())) {
        const own = rejections.filter(({ domain }) => teams.get(domain) === teamId)
        await write(
          ...own.map((rejection) => insertRejection({ teamId, id: nextId(rejection.at) }, rejection)),
          dropOldest(teamId),
        )
      }
    },

    // Null is for the operator, who sees what every team has.
    listRejections: (teamId, { since, limit }) =>
      read<Rejection>(sql`
        select at, sender as "from", recipient as "to", code, reason
        from rejections
        where ${teamId === null ? sql`true` : sql`team_id = ${teamId}`} and at >= ${since}
        order by id desc
        limit ${limit}`),
  }
}

function insertRejection(
  { teamId, id }: { teamId: string; id: number },
  { at, from, to, code, reason }: Rejection,
): Sql {
  return sql`
    insert into rejections (team_id, id, at, sender, recipient, code, reason)
    values (${teamId}, ${id}, ${at}, ${from}, ${to}, ${code}, ${reason})
    on conflict (team_id, id) do nothing`
}

function dropOldest(teamId: string): Sql {
  return sql`
    delete from rejections
    where team_id = ${teamId}
      and id <= (select id from rejections where team_id = ${teamId} order by id desc limit 1 offset ${KEPT_MAX})`
}
