import type { Database } from './database.ts'
import { sql, type Sql } from './sql.ts'

/** Teams per query. Usually the first few have enough to send. */
const TEAMS_PER_PAGE = 50

/** When something of a team may be due: in how many milliseconds, not above zero for now. */
type OutboxEntry = { teamId: string; dueAt: number; dueIn: number }

/** The outbox in the order in which its teams become due, a page at a time. */
export async function* outboxPages({ dialect, read }: Database, at: number): AsyncGenerator<OutboxEntry[]> {
  let after: Sql = sql`true`
  for (;;) {
    const page = await read<OutboxEntry>(sql`
      select team_id as "teamId", due_at as "dueAt", due_at - ${dialect.now(at)} as "dueIn"
      from outboxes where ${after}
      order by due_at, team_id
      limit ${TEAMS_PER_PAGE}`)
    yield page
    const last = page.at(-1)
    if (!last || page.length < TEAMS_PER_PAGE) return
    after = sql`(due_at, team_id) > (${last.dueAt}, ${last.teamId})`
  }
}

/** Puts the team into the outbox for new deliveries, if they were inserted. `isNew` names them, so that no others are read. */
export function addToOutbox(teamId: string, isNew: Sql): Sql {
  return sql`
    insert into outboxes (team_id, due_at)
    select team_id, min(next_attempt_at) from deliveries
    where team_id = ${teamId} and ${isNew} and next_attempt_at is not null
    group by team_id
    on conflict (team_id) do update set due_at = excluded.due_at where excluded.due_at < outboxes.due_at`
}

/**
 * Ends every transaction that changes when something of the team can be leased, except by new deliveries. Then a crash
 * leaves no pending delivery without an entry, and an entry that is due has something to lease. With `perEndpoint`, an
 * endpoint with so many leases has to wait for the end of one. Limits that only one process knows do not count.
 */
export function settleOutbox(teamId: string, perEndpoint: number | null = null): Sql[] {
  // Without the clock: a lease that has expired is due since its end.
  const endpoints = activeEndpoints(teamId, { columns: sql`e.team_id`, isLeased: sql`d.lease_owner is not null` })
  const dueAt = perEndpoint === null ? sql`e."dueAt"` : sql`case when e.leased < ${perEndpoint} then e."dueAt" end`
  return [
    // Grouped before they are compared, so that each value is read once.
    sql`
      insert into outboxes (team_id, due_at)
      select t.team_id, case when t.lease_end is null or t.due_at < t.lease_end then t.due_at else t.lease_end end
      from (select e.team_id, min(${dueAt}) as due_at, min(e."leaseEnd") as lease_end
            from ${endpoints} e
            group by e.team_id) t
      where coalesce(t.due_at, t.lease_end) is not null
      on conflict (team_id) do update set due_at = excluded.due_at where excluded.due_at <> outboxes.due_at`,
    sql`
      delete from outboxes
      where team_id = ${teamId}
        and not exists (select 1 from ${endpoints} e where coalesce(e."dueAt", e."leaseEnd") is not null)`,
  ]
}

/**
 * The team's active endpoints, with one index step for each value: when the first delivery that is not leased is due, how
 * many are leased, and when the first lease ends.
 */
export function activeEndpoints(teamId: string, { columns, isLeased }: { columns: Sql; isLeased: Sql }): Sql {
  const ofEndpoint = sql`from deliveries d where d.team_id = e.team_id and d.endpoint_id = e.id`
  return sql`
    (select ${columns},
            (select d.next_attempt_at ${ofEndpoint} and d.status = 'pending' and not (${isLeased})
             order by d.next_attempt_at
             limit 1) as "dueAt",
            (select count(*) ${ofEndpoint} and ${isLeased}) as leased,
            (select min(d.lease_until) ${ofEndpoint} and ${isLeased}) as "leaseEnd"
     from webhook_endpoints e
     where e.team_id = ${teamId} and e.is_active = 1)`
}
