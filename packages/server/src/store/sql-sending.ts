import type { Disabling } from '../domain/delivery-schedule.ts'
import { required, type Database } from './database.ts'
import { failAllInactive } from './sql-endpoints.ts'
import { leaseStore } from './sql-leases.ts'
import { settleOutbox } from './sql-outbox.ts'
import { sql, type Sql } from './sql.ts'
import type { Attempt, AttemptRecord, WebhookStore } from './webhooks.ts'

type SendingStore = Pick<
  WebhookStore,
  'leaseDeliveries' | 'finishAttempt' | 'releaseDeliveries' | 'nextDueIn' | 'dueFor'
>

/** Deliveries that are being sent. */
export function sendingStore(database: Database): SendingStore {
  const { dialect, writeFor } = database
  return {
    ...leaseStore(database),

    async finishAttempt(owner, record) {
      const { teamId, endpointId, deliveryId, disableEndpoint } = record
      const isOurs = sql`
        team_id = ${teamId} and id = ${deliveryId} and endpoint_id = ${endpointId} and lease_owner = ${owner}
        and status = 'pending'`
      const changeEndpoint = (change: Sql) => sql`
        update webhook_endpoints set ${change}
          and team_id = ${teamId} and id = ${endpointId} and exists (select 1 from deliveries where ${isOurs})`
      const finish = (outcome: AttemptRecord['outcome']) =>
        [
          insertAttempt(record, { number: sql`attempt + 1`, which: isOurs }),
          sql`update deliveries set ${deliveryChange({ ...record, outcome })} where ${isOurs}`,
          ...settleOutbox(teamId),
        ] as const
      if (disableEndpoint !== null) {
        const disable = changeEndpoint(disabling(record, disableEndpoint))
        const [disabled] = await writeFor(teamId, required(disable), ...finish({ status: 'failed' }))
        if (disabled === 1) {
          await failAllInactive(database, { teamId, id: endpointId }, record.at)
          return true
        }
      }
      const update = changeEndpoint(endpointChange(record))
      const [, , finished] = await writeFor(teamId, update, ...finish(record.outcome))
      return finished === 1
    },
  }

  function deliveryChange({ outcome, at, httpStatus, responseBody, latencyMs, error }: AttemptRecord): Sql {
    const isPending = outcome.status === 'pending'
    return sql`
      status = ${outcome.status}, attempt = attempt + 1, http_status = ${httpStatus}, response_body = ${responseBody},
      latency_ms = ${latencyMs}, error = ${error},
      next_attempt_at = ${isPending ? sql`${dialect.now(at)} + ${outcome.afterMs}` : sql`null`},
      finished_at = ${isPending ? null : at}, lease_owner = null, lease_until = null`
  }
}

function disabling({ url, at }: AttemptRecord, { reason, failingSince }: Disabling): Sql {
  return sql`
    is_active = 0, disabled_reason = ${reason}, failing_since = coalesce(failing_since, ${at}), updated_at = ${at}
    where is_active = 1 and url = ${url} and ${failingSince === null ? sql`true` : sql`failing_since = ${failingSince}`}`
}

/** Writes only on the first failure and on the first success after it. */
function endpointChange({ outcome, url, at }: AttemptRecord): Sql {
  return outcome.status === 'success'
    ? sql`failing_since = null where failing_since is not null and url = ${url}`
    : sql`failing_since = ${at} where failing_since is null and url = ${url}`
}

/** Before the delivery counts it, its number is the next one. */
export function insertAttempt(
  { at, httpStatus, responseBody, latencyMs, error }: Attempt,
  { number, which }: { number: Sql; which: Sql },
): Sql {
  return sql`
    insert into delivery_attempts (team_id, delivery_id, attempt, at, http_status, response_body, latency_ms, error)
    select team_id, id, ${number}, ${at}, ${httpStatus}, ${responseBody}, ${latencyMs}, ${error}
    from deliveries where ${which}`
}
