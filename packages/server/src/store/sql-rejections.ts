import type { Database } from './database.ts'
import { sql, type Sql } from './sql.ts'
import type { Rejection, Store } from './store.ts'

/** Kept of each team, and of mail for domains that nobody has. */
const KEPT_MAX = 1_000

export function rejectionStore({ read, write }: Database): Pick<Store, 'addRejections' | 'listRejections'> {
  return {
    async addRejections(rejections) {
      const domains = new Set(rejections.map(({ domain }) => domain))
      await write(...rejections.map(insertRejection), ...Array.from(domains, dropOldest))
    },

    listRejections: (teamId, { since, limit }) =>
      read<Rejection>(sql`
        select at, sender as "from", recipient as "to", code, reason
        from rejections
        where (team_id = ${teamId} or exists (select 1 from teams where id = ${teamId} and is_bootstrap = 1))
          and at >= ${since}
        order by id desc
        limit ${limit}`),
  }
}

function insertRejection({ domain, at, from, to, code, reason }: Rejection & { domain: string }): Sql {
  return sql`
    insert into rejections (team_id, at, sender, recipient, code, reason)
    values (${teamOf(domain)}, ${at}, ${from}, ${to}, ${code}, ${reason})`
}

function dropOldest(domain: string): Sql {
  return sql`
    delete from rejections
    where team_id is not distinct from ${teamOf(domain)}
      and id <= (select id from rejections
                 where team_id is not distinct from ${teamOf(domain)}
                 order by id desc
                 limit 1 offset ${KEPT_MAX})`
}

function teamOf(domain: string): Sql {
  return sql`(select id from teams where domain = ${domain})`
}
