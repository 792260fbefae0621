import type { Disabling } from '../domain/delivery-schedule.ts'
import { required, returning, type Database } from './database.ts'
import { ENDPOINT, failAllInactive, readEndpoint, type EndpointRow } from './sql-endpoints.ts'
import { sql, type Sql } from './sql.ts'
import type { Attempt, AttemptRecord, EndpointLimits, LeasedDelivery, WebhookStore } from './webhooks.ts'

type SendingStore = Pick<WebhookStore, 'leaseDeliveries' | 'finishAttempt' | 'releaseDeliveries' | 'nextDueIn'>

/**
 * Deliveries that are being sent. Transactions that change both an endpoint and its deliveries lock the endpoint first,
 * so that they cannot deadlock.
 */
export function sendingStore(database: Database): SendingStore {
  const { dialect, read, write, writeFor } = database

  /**
   * Every endpoint with pending deliveries, with one index step per endpoint. Includes when its first unleased delivery is
   * due, how many are leased, and when the first lease ends.
   */
  function waitingEndpoints({ perEndpoint, oneAtATime, at }: EndpointLimits & { at: number }): Sql {
    const isLeased = sql`d.lease_owner is not null and d.lease_until > ${dialect.now(at)}`
    return sql`
      (with recursive waiting (endpoint_id) as (
         select (select endpoint_id from deliveries where status = 'pending' order by endpoint_id limit 1)
         union all
         select (select d.endpoint_id from deliveries d
                 where d.status = 'pending' and d.endpoint_id > waiting.endpoint_id
                 order by d.endpoint_id
                 limit 1)
         from waiting where waiting.endpoint_id is not null)
       select ${ENDPOINT},
              case when ${dialect.isAmong(sql`e.id`, oneAtATime)} then 1 else ${perEndpoint} end as share,
              (select d.next_attempt_at from deliveries d
               where d.endpoint_id = e.id and d.status = 'pending' and not (${isLeased})
               order by d.next_attempt_at
               limit 1) as due_at,
              (select count(*) from deliveries d where d.endpoint_id = e.id and ${isLeased}) as leased,
              (select min(d.lease_until) from deliveries d where d.endpoint_id = e.id and ${isLeased}) as lease_end
       from waiting join webhook_endpoints e on e.id = waiting.endpoint_id and e.is_active = 1)`
  }

  function leaseSome(endpointId: string, share: number, { owner, at, leaseMs }: Lease) {
    const now = dialect.now(at)
    return returning<LeasedRow>(sql`
      update deliveries
      set lease_owner = ${owner}, lease_until = ${now} + ${leaseMs}
      where sequence in (
        select d.sequence from deliveries d
        where d.endpoint_id = ${endpointId} and d.status = 'pending' and d.next_attempt_at <= ${now}
          and (d.lease_owner is null or d.lease_until <= ${now})
          and exists (select 1 from webhook_endpoints where id = ${endpointId} and is_active = 1)
        order by d.next_attempt_at, d.sequence
        limit (select case when count(*) < ${share} then ${share} - count(*) else 0 end
               from deliveries
               where endpoint_id = ${endpointId} and lease_owner is not null and lease_until > ${now}))
      returning id, event_id as "eventId", body, attempt - attempts_before as attempt, message_id as "messageId",
                endpoint_id as "endpointId"`)
  }

  return {
    async leaseDeliveries({ limit, probes = limit, ...lease }) {
      const candidates = await read<Candidate>(sql`
        select e.* from ${waitingEndpoints(lease)} e
        where e.leased < e.share and e.due_at <= ${dialect.now(lease.at)}
        order by case when e.share < ${lease.perEndpoint} then 1 else 0 end, e.due_at
        limit ${limit}`)
      const chosen = shareOut(candidates, { limit, probes, perEndpoint: lease.perEndpoint })
      if (chosen.length === 0) return []
      const ids = chosen.map(({ id }) => id)
      // Locked until the commit, so that all processes together respect an endpoint's share.
      const lock = returning<{ id: string }>(sql`
        select id from webhook_endpoints where ${dialect.isAmong(sql`id`, ids)} order by id ${dialect.locked}`)
      const [, ...leased] = await write(lock, ...chosen.map(({ id, share }) => leaseSome(id, share, lease)))
      const endpoints = new Map(chosen.map((row) => [row.id, endpointOf(row)]))
      return leased.flat().map(({ endpointId, ...delivery }) => ({ ...delivery, endpoint: endpoints.get(endpointId)! }))
    },

    async finishAttempt(owner, record) {
      const { deliveryId, disableEndpoint } = record
      const isOurs = sql`id = ${deliveryId} and lease_owner = ${owner} and status = 'pending'`
      const endpoint = sql`id = (select endpoint_id from deliveries where ${isOurs})`
      const finish = ({ outcome }: Pick<AttemptRecord, 'outcome'>) => [
        required(sql`update deliveries set ${deliveryChange({ ...record, outcome })} where ${isOurs}`),
        insertAttempt(deliveryId, record),
      ]
      if (disableEndpoint !== null) {
        const [found] = await read<{ id: string; teamId: string }>(sql`
          select e.id, e.team_id as "teamId"
          from deliveries d join webhook_endpoints e on e.id = d.endpoint_id
          where d.id = ${deliveryId}`)
        if (!found) return false
        const disable = sql`update webhook_endpoints set ${disabling(record, disableEndpoint)} and ${endpoint}`
        // With the team's lock, so that concurrently stored mail does not add pending deliveries.
        const [disabled, finished] = await writeFor(
          found.teamId,
          required(disable),
          ...finish({ outcome: { status: 'failed' } }),
        )
        if (disabled === 1) {
          await failAllInactive(database, found.id, record.at)
          return finished === 1
        }
      }
      const update = sql`update webhook_endpoints set ${endpointChange(record)} and ${endpoint}`
      return (await write(update, ...finish(record)))[1] === 1
    },

    async releaseDeliveries(owner) {
      await write(sql`update deliveries set lease_owner = null, lease_until = null where lease_owner = ${owner}`)
    },

    async nextDueIn(limits) {
      const [row] = await read<{ dueIn: number | null }>(sql`
        select min(case when e.leased < e.share and e.due_at is not null then e.due_at else e.lease_end end)
               - ${dialect.now(limits.at)} as "dueIn"
        from ${waitingEndpoints(limits)} e`)
      const dueIn = row?.dueIn ?? null
      return dueIn === null ? null : Math.max(0, dueIn)
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

type Lease = { owner: string; at: number; leaseMs: number }
type Capacity = { limit: number; probes: number; perEndpoint: number }
type Candidate = EndpointRow & { share: number; leased: number }
type LeasedRow = Omit<LeasedDelivery, 'endpoint'> & { endpointId: string }

/** In the given order. The lease itself decides how much of its share each endpoint gets. */
function shareOut(candidates: Candidate[], { limit, probes, perEndpoint }: Capacity): Candidate[] {
  let left = limit
  let probesLeft = probes
  return candidates.flatMap((candidate) => {
    const isProbe = candidate.share < perEndpoint
    const share = Math.min(candidate.share - candidate.leased, left, isProbe ? probesLeft : left)
    left -= share
    if (isProbe) probesLeft -= share
    return share > 0 ? [{ ...candidate, share: candidate.leased + share }] : []
  })
}

function endpointOf(row: Candidate): LeasedDelivery['endpoint'] {
  const { id, teamId, url, secret, oldSecrets, failingSince } = readEndpoint(row)
  return { id, teamId, url, secret, oldSecrets, failingSince }
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

export function insertAttempt(deliveryId: string, { at, httpStatus, responseBody, latencyMs, error }: Attempt): Sql {
  return sql`
    insert into delivery_attempts (delivery, at, http_status, response_body, latency_ms, error)
    select sequence, ${at}, ${httpStatus}, ${responseBody}, ${latencyMs}, ${error}
    from deliveries where id = ${deliveryId}`
}
