import { returning, type Database, type Dialect } from './database.ts'
import { addToOutbox, settleOutbox } from './sql-outbox.ts'
import { insertAttempt } from './sql-sending.ts'
import { sql, type Sql } from './sql.ts'
import type { Mailbox } from './mailboxes.ts'
import type { NewMessage } from './messages.ts'
import type { Delivery, DeliveryKey, EndpointKey, NewEvent, WebhookStore } from './webhooks.ts'

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

export function deliveryStore({ dialect, read, writeFor }: Database): DeliveryStore {
  /**
   * With the team's lock, so that an endpoint that is being disabled keeps no pending delivery. A delivery in flight loses
   * its lease, so that the result of that attempt is not taken for the result of the replay.
   */
  async function replay({ teamId, id }: EndpointKey, at: number, which: Sql): Promise<Delivery[]> {
    const [replayed] = await writeFor(
      teamId,
      returning<Delivery>(sql`
        update deliveries
        set status = 'pending', next_attempt_at = ${dialect.now(at)}, attempts_before = attempt, error = null,
            finished_at = null, lease_owner = null, lease_until = null
        where team_id = ${teamId} and ${which}
          and exists (select 1 from webhook_endpoints where team_id = ${teamId} and id = ${id} and is_active = 1)
        returning ${DELIVERY}`),
      ...settleOutbox(teamId),
    )
    return replayed
  }

  return {
    // Served by deliveries_by_endpoint, or by the partial index of the status.
    listDeliveries: ({ teamId, id }, { limit, offset, status }) =>
      read<Delivery>(sql`
        select ${DELIVERY} from deliveries
        where team_id = ${teamId} and endpoint_id = ${id} and ${STATUS[status ?? 'any']}
        order by created_at desc, id desc
        limit ${limit} offset ${offset}`),

    async findDelivery(where) {
      const [found] = await read<Delivery>(sql`select ${DELIVERY} from deliveries where ${isDelivery(where)}`)
      return found ?? null
    },

    async findDeliveryBody(where) {
      const [found] = await read<{ body: string }>(sql`select body from deliveries where ${isDelivery(where)}`)
      return found?.body ?? null
    },

    listAttempts: ({ teamId, id }) =>
      read(sql`
        select at, http_status as "httpStatus", response_body as "responseBody", latency_ms as "latencyMs", error
        from delivery_attempts
        where team_id = ${teamId} and delivery_id = ${id}
        order by attempt`),

    async replayDelivery({ teamId, endpointId, id }, at) {
      const [replayed] = await replay({ teamId, id: endpointId }, at, sql`id = ${id} and endpoint_id = ${endpointId}`)
      return replayed ?? null
    },

    async replayFailed(where, { at, limit }) {
      const failed = sql`
        select id from deliveries
        where team_id = ${where.teamId} and endpoint_id = ${where.id} and status = 'failed' and finished_at <= ${at}
          and message_id is not null
        order by created_at, id
        limit ${limit}`
      return (await replay(where, at, dialect.isIn(sql`id`, failed))).length
    },

    // With the team's lock: otherwise a concurrent deletion could miss this row.
    async addTestDelivery(test) {
      const { teamId, id, eventId, endpointId, event, body, status, at } = test
      const { httpStatus, responseBody, latencyMs, error } = test
      const [[added]] = await writeFor(
        teamId,
        returning<Delivery>(sql`
          insert into deliveries (team_id, id, endpoint_id, event, event_id, body, status, attempt, http_status,
                                  response_body, latency_ms, error, created_at, finished_at)
          select team_id, ${id}, id, ${event}, ${eventId}, ${body}, ${status}, 1, ${httpStatus}, ${responseBody},
                 ${latencyMs}, ${error}, ${at}, ${at}
          from webhook_endpoints where team_id = ${teamId} and id = ${endpointId} and removed_at is null
          returning ${DELIVERY}`),
        insertAttempt(test, { number: sql`attempt`, which: isDelivery(test) }),
      )
      return added ?? null
    },

    async forgetDeliveries({ teamId, id }, { before, limit }) {
      const isOld = (column: Sql, isOver: Sql) =>
        dialect.isIn(
          column,
          sql`
            select id from deliveries
            where team_id = ${teamId} and endpoint_id = ${id} and created_at < ${before} and ${isOver}
            order by created_at
            limit ${limit}`,
        )
      const [forgotten] = await writeFor(
        teamId,
        sql`delete from deliveries where team_id = ${teamId} and ${isOld(sql`id`, sql`finished_at < ${before}`)}`,
        // Attempts of deliveries that were replayed since.
        sql`
          delete from delivery_attempts
          where team_id = ${teamId} and at < ${before}
            and ${isOld(sql`delivery_id`, sql`(finished_at is null or finished_at >= ${before})`)}`,
      )
      return forgotten
    },

    async failBacklog({ teamId, id }, { kept, limit, at }) {
      const isPending = sql`team_id = ${teamId} and endpoint_id = ${id} and status = 'pending'`
      const [pending] = await read<{ count: number }>(sql`select count(*) as count from deliveries where ${isPending}`)
      const excess = Math.min(pending!.count - kept, limit)
      if (excess <= 0) return 0
      const oldest = sql`
        select id from deliveries
        where ${isPending} and lease_owner is null
        order by ${dialect.hidden(sql`created_at`)}, id
        limit ${excess}`
      const [failed] = await writeFor(
        teamId,
        sql`
          update deliveries
          set status = 'failed', error = 'too many deliveries were waiting', next_attempt_at = null, finished_at = ${at}
          where team_id = ${teamId} and ${dialect.isIn(sql`id`, oldest)}`,
        ...settleOutbox(teamId),
      )
      return failed
    },
  }
}

function isDelivery({ teamId, endpointId, id }: DeliveryKey): Sql {
  return sql`team_id = ${teamId} and id = ${id} and endpoint_id = ${endpointId}`
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
  const inserts = event.deliveries.map(
    ({ id, endpointId }) => sql`
      insert into deliveries (team_id, id, endpoint_id, event, event_id, message_id, body, status, next_attempt_at,
                              created_at)
      select m.team_id, ${id}, ${endpointId}, 'email.received', ${event.id}, m.id, ${event.body}, 'pending',
             ${dialect.now(message.storedAt)}, ${message.storedAt}
      from messages m join team_state t on t.team_id = m.team_id
      where m.team_id = ${teamId} and m.id = ${message.id} and m.position > t.last_position
        and exists (select 1 from webhook_endpoints
                    where team_id = ${teamId} and id = ${endpointId} and is_active = 1)`,
  )
  const ids = event.deliveries.map(({ id }) => id)
  return [...inserts, addToOutbox(teamId, dialect.isAmong(sql`id`, ids))]
}
