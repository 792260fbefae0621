import type { Database } from './database.ts'
import { sql, type Sql } from './sql.ts'
import type { Rejection } from './messages.ts'
import type { Store } from './store.ts'

/** Rejections kept per team, and for all unknown domains together. */
const KEPT_MAX = 1_000

export function rejectionStore({ read, write }: Database): Pick<Store, 'addRejections' | 'listRejections'> {
  return {
    async addRejections(rejections) {
      // All processes use the same order, so that they cannot deadlock.
      const domains = Array.from(new Set(rejections.map(({ domain }) => domain))).sort()
      await write(...rejections.map(insertRejection), ...domains.map(dropOldest))
    },

    listRejections: (teamId, { since, limit }) =>
      read<Rejection>(sql`
        select at, sender as "from", recipient as "to", code, reason
        from rejections
        where ${teamId === null ? sql`true` : sql`team_id = ${teamId}`} and at >= ${since}
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
    where ${areOf(domain)}
      and id <= (select id from rejections
                 where ${areOf(domain)}
                 order by id desc
                 limit 1 offset ${KEPT_MAX})`
}

/** Not `is not distinct from`, for which PostgreSQL cannot use an index. */
function areOf(domain: string): Sql {
  return sql`(team_id = ${teamOf(domain)} or (team_id is null and ${teamOf(domain)} is null))`
}

function teamOf(domain: string): Sql {
  return sql`(select id from teams where domain = ${domain})`
}
