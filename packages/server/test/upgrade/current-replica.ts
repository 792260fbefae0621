import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import type { Database } from '../../src/store/database.ts'
import { sql } from '../../src/store/sql.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { messageFor } from '../../src/store/store-contract.ts'
import { AT, deliveryId, type Box, type Replica } from './replica.ts'

/** The store of this version. Deliveries are sent by statements of their own, so that their rows can be compared. */
export async function openCurrent(url: string): Promise<Replica> {
  const database = await openPostgresDatabase(url)
  const store = createSqlStore(database, {
    onError(error) {
      throw error
    },
  })
  const withDates = (mailbox: Box) => ({ ...mailbox, createdAt: AT, updatedAt: AT })
  return {
    close: () => store.close(),

    async addTeam({ id, domain }) {
      const team = { id, domain, name: 'Team', plan: 'enterprise' as const, retentionDays: null }
      await store.addTeam({ ...team, createdAt: AT, isBootstrap: false }, null)
    },

    async moveTeam(teamId, domain) {
      await store.moveToDomain(teamId, { domain, isCustom: true, at: AT })
    },

    async addMailbox({ isCaught, ...mailbox }) {
      await store.addMailbox({ ...withDates(mailbox), ...(isCaught && { isCaught }) }, null)
    },

    async renameMailbox(mailbox, name) {
      await store.renameMailbox(withDates(mailbox), { name, at: AT })
    },

    async hideMailbox(mailbox) {
      await store.hideMailbox(mailbox, AT)
    },

    async addMessage(mailbox, { id, text }, endpointIds = []) {
      const message = messageFor(withDates(mailbox), { id, text, receivedAt: AT, storedAt: AT })
      const added = await store.addMessage(withDates(mailbox), message)
      if (typeof added === 'number' && endpointIds.length > 0)
        await addDeliveries(database, mailbox.teamId, id, endpointIds)
    },

    async markMessages(teamId, positions, isRead) {
      await store.markMessages(teamId, positions, isRead)
    },

    markAllRead: (teamId, upTo) => store.markAllRead(teamId, upTo),

    async removeMessages(teamId, positions) {
      await store.removeMessages(teamId, positions, AT)
    },

    async addEndpoint({ teamId, id }) {
      await database.writeFor(
        teamId,
        sql`
          insert into webhook_endpoints (team_id, id, url, secret, secret_masked, created_at, updated_at)
          values (${teamId}, ${id}, ${`https://${id}.test`}, '', '', ${AT}, ${AT}) on conflict do nothing`,
      )
    },

    async finishAttempt({ teamId, id }, status) {
      const isOurs = sql`team_id = ${teamId} and id = ${id}`
      const isPending = status === 'pending'
      await database.writeFor(
        teamId,
        sql`
          insert into delivery_attempts (team_id, delivery_id, attempt, at)
          select team_id, id, attempt + 1, ${AT} from deliveries where ${isOurs}`,
        sql`
          update deliveries
          set status = ${status}, attempt = attempt + 1, next_attempt_at = ${isPending ? AT + 1 : null},
              finished_at = ${isPending ? null : AT}
          where ${isOurs}`,
      )
    },

    addRejection: (domain, code) => store.addRejections([{ domain, at: AT, from: '', to: '', code, reason: '' }]),
  }
}

async function addDeliveries({ writeFor }: Database, teamId: string, messageId: string, endpointIds: string[]) {
  await writeFor(
    teamId,
    ...endpointIds.map(
      (endpointId) => sql`
        insert into deliveries (team_id, id, endpoint_id, event, event_id, message_id, body, status, next_attempt_at,
                                created_at)
        values (${teamId}, ${deliveryId(messageId, endpointId)}, ${endpointId}, 'email.received', ${messageId}, ${messageId},
                'body', 'pending', ${AT}, ${AT})`,
    ),
    sql`
      insert into outboxes (team_id, due_at) values (${teamId}, ${AT})
      on conflict (team_id) do update set due_at = excluded.due_at`,
  )
}
