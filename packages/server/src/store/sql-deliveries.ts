import { returning, type Database, type Dialect } from './database.ts'
import { insertAttempt } from './sql-sending.ts'
import { sql, type Sql } from './sql.ts'
import type { Mailbox } from './mailboxes.ts'
import type { NewMessage } from './messages.ts'
import type { Delivery, NewEvent, WebhookStore } from './webhooks.ts'

type DeliveryStore = Pick<
  WebhookStore,
  | 'listDeliveries'
  | 'findDelivery'
  | 'findDeliveryBody'
  | 'listAttempts'
  | 'replayDelivery'
  | 'replayFailed'
  | 'addTestDelivery'
  | 'forgetDeliveries'
  | 'failBacklog'
>

export function deliveryStore({ dialect, read, write, writeFor }: Database): DeliveryStore {
  /**
   * Locks the team, so that an endpoint that is being disabled keeps no pending delivery. A delivery in flight loses its
   * lease, so that the result of that attempt is not taken for the result of the replay.
   */
  function replay({ teamId, endpointId }: { teamId: string; endpointId: string }, at: number, which: Sql) {
    return writeFor(
      teamId,
      returning<Delivery>(sql`
        update deliveries
        set status = 'pending', next_attempt_at = ${dialect.now(at)}, attempts_before = attempt, error = null,
            finished_at = null, lease_owner = null, lease_until = null
        where ${which}
          and exists (select 1 from webhook_endpoints
                      where id = ${endpointId} and team_id = ${teamId} and is_active = 1)
        returning ${DELIVERY}`),
    )
  }

  return {
    // Served by deliveries_by_endpoint, or by the partial index of the status.
    listDeliveries: (endpointId, { limit, offset, status }) =>
      read<Delivery>(sql`
        select ${DELIVERY} from deliveries
        where endpoint_id = ${endpointId} and ${STATUS[status ?? 'any']}
        order by created_at desc, sequence desc
        limit ${limit} offset ${offset}`),

    async findDelivery({ endpointId, id }) {
      const [found] = await read<Delivery>(
        sql`select ${DELIVERY} from deliveries where id = ${id} and endpoint_id = ${endpointId}`,
      )
      return found ?? null
    },

    async findDeliveryBody({ endpointId, id }) {
      const [found] = await read<{ body: string }>(
        sql`select body from deliveries where id = ${id} and endpoint_id = ${endpointId}`,
      )
      return found?.body ?? null
    },

    listAttempts: (deliveryId) =>
      read(sql`
        select a.at, a.http_status as "httpStatus", a.response_body as "responseBody", a.latency_ms as "latencyMs",
               a.error
        from deliveries d join delivery_attempts a on a.delivery = d.sequence
        where d.id = ${deliveryId}
        order by a.sequence`),

    async replayDelivery({ id, ...where }, at) {
      const which = sql`id = ${id} and endpoint_id = ${where.endpointId}`
      const [[replayed]] = await replay(where, at, which)
      return replayed ?? null
    },

    async replayFailed(where, { at, limit }) {
      const which = sql`
        sequence in (select sequence from deliveries
                     where endpoint_id = ${where.endpointId} and status = 'failed' and finished_at <= ${at}
                       and message_id is not null
                     order by created_at, sequence
                     limit ${limit})`
      const [replayed] = await replay(where, at, which)
      return replayed.length
    },

    async addTestDelivery(test) {
      const { id, eventId, endpointId, event, body, status, at, httpStatus, responseBody, latencyMs, error } = test
      const [[added]] = await write(
        // Locks the endpoint: otherwise a concurrent deletion could miss this row.
        returning<Delivery>(sql`
          insert into deliveries (id, endpoint_id, event, event_id, body, status, attempt, http_status, response_body,
                                  latency_ms, error, created_at, finished_at)
          select ${id}, ${endpointId}, ${event}, ${eventId}, ${body}, ${status}, 1, ${httpStatus}, ${responseBody},
                 ${latencyMs}, ${error}, ${at}, ${at}
          from webhook_endpoints where id = ${endpointId} and removed_at is null ${dialect.locked}
          returning ${DELIVERY}`),
        insertAttempt(id, test),
      )
      return added ?? null
    },

    async forgetDeliveries(endpointId, { before, limit }) {
      const old = (isOver: Sql) => sql`
        select sequence from deliveries
        where endpoint_id = ${endpointId} and created_at < ${before} and ${isOver}
        order by created_at
        limit ${limit}`
      const [forgotten] = await write(
        sql`delete from deliveries where sequence in (${old(sql`finished_at < ${before}`)})`,
        // Attempts of deliveries that were replayed since.
        sql`
          delete from delivery_attempts
          where at < ${before} and delivery in (${old(sql`(finished_at is null or finished_at >= ${before})`)})`,
      )
      return forgotten
    },

    async failBacklog(endpointId, { kept, limit, at }) {
      const [pending] = await read<{ count: number }>(
        sql`select count(*) as count from deliveries where endpoint_id = ${endpointId} and status = 'pending'`,
      )
      const excess = Math.min(pending!.count - kept, limit)
      if (excess <= 0) return 0
      const [failed] = await write(sql`
        update deliveries
        set status = 'failed', error = 'too many deliveries were waiting', next_attempt_at = null, finished_at = ${at}
        where status = 'pending' and lease_owner is null
          and sequence in (select sequence from deliveries
                           where endpoint_id = ${endpointId} and status = 'pending' and lease_owner is null
                           order by ${dialect.hidden(sql`sequence`)}
                           limit ${excess})`)
      return failed
    },
  }
}

const DELIVERY = sql`
  id, endpoint_id as "endpointId", event, message_id as "messageId", status, http_status as "httpStatus",
  response_body as "responseBody", latency_ms as "latencyMs", attempt, next_attempt_at as "nextAttemptAt", error,
  created_at as "createdAt"`

/** Literal conditions, because a partial index is used only if the query names its condition. */
const STATUS = {
  any: sql`true`,
  pending: sql`status = 'pending'`,
  success: sql`status = 'success'`,
  failed: sql`status = 'failed'`,
}

/**
 * Runs after the insert of the message and before the update that counts it: only then is its position beyond the
 * team's last. So a repeated announcement creates no deliveries, also not for endpoints added since.
 */
export function insertDeliveries(
  dialect: Dialect,
  { teamId }: Pick<Mailbox, 'teamId'>,
  message: Pick<NewMessage, 'id' | 'storedAt'>,
  event: NewEvent | null,
): Sql[] {
  if (!event) return []
  return event.deliveries.map(
    ({ id, endpointId }) => sql`
      insert into deliveries (id, endpoint_id, event, event_id, message_id, body, status, next_attempt_at, created_at)
      select ${id}, ${endpointId}, 'email.received', ${event.id}, m.id, ${event.body}, 'pending',
             ${dialect.now(message.storedAt)}, ${message.storedAt}
      from messages m join teams t on t.id = m.team_id
      where m.id = ${message.id} and t.id = ${teamId} and m.position > t.last_position
        and exists (select 1 from webhook_endpoints
                    where id = ${endpointId} and team_id = ${teamId} and is_active = 1)`,
  )
}
