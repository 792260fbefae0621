import type { Database } from './database.ts'
import { findAmongNewest, walkMessages } from './message-walk.ts'
import { sql, type Sql } from './sql.ts'
import { MESSAGES } from './sql-tables.ts'
import type { CountedMessage, DeliveryCounts, TeamStore, Usage } from './teams.ts'

type UsageStore = Pick<TeamStore, 'usageOf' | 'countReceived' | 'countDeliveries' | 'countedMessages'>

/** What a team uses, and what it has received. */
export function usageStore(database: Database): UsageStore {
  const { read } = database
  return {
    async usageOf(teamId) {
      const [usage] = await read<Usage>(sql`
        select (select count(*) from mailboxes where team_id = ${teamId} and removed_at is null) as mailboxes,
               (select count(*) from api_keys where team_id = ${teamId}) as keys,
               (select count(*) from users where team_id = ${teamId}) as members,
               (select count(*) from webhook_endpoints where team_id = ${teamId} and removed_at is null) as endpoints`)
      return usage!
    },

    // Served by messages_by_time alone.
    async countReceived(teamId, { from, to }) {
      const [row] = await read<{ count: number }>(sql`
        select count(*) as count from messages
        where team_id = ${teamId} and received_at >= ${from} and received_at < ${to}`)
      return row!.count
    },

    // Served by deliveries_succeeded and deliveries_failed alone, for each endpoint of the team: with `cross join`, SQLite
    // begins with the endpoints.
    async countDeliveries(teamId, { from, to }) {
      const count = (isCounted: Sql) => sql`
        select count(*)
        from webhook_endpoints e cross join deliveries d
        where e.team_id = ${teamId} and e.removed_at is null and d.team_id = e.team_id and d.endpoint_id = e.id
          and d.created_at >= ${from} and d.created_at < ${to} and ${isCounted}`
      const [counts] = await read<DeliveryCounts>(sql`
        select (${count(sql`d.status = 'success'`)}) as delivered, (${count(sql`d.status = 'failed'`)}) as failed`)
      return counts!
    },

    async countedMessages(teamId, { since, before, limit }) {
      const view = { teamId, oldestReceivedAt: since, filter: {} }
      const select = (rest: Sql) =>
        read<CountedMessage>(sql`
          select m.position, m.received_at as "receivedAt", b.name as mailbox, m.tag, m.sender as "from", m.size
          from ${MESSAGES} ${rest}`)
      const search = { view, wanted: { order: 'newest first' as const, limit, before }, select }
      return (await findAmongNewest(database, search)) ?? walkMessages(database, search)
    },
  }
}
