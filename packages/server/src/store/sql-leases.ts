import { returning, type Database } from './database.ts'
import { ENDPOINT, readEndpoint, type EndpointRow } from './sql-endpoints.ts'
import { activeEndpoints, outboxPages, settleOutbox } from './sql-outbox.ts'
import { sql } from './sql.ts'
import type { EndpointLimits, LeasedDelivery, WebhookStore } from './webhooks.ts'

type LeaseStore = Pick<WebhookStore, 'leaseDeliveries' | 'releaseDeliveries' | 'nextDueIn' | 'dueFor'>

/** The outbox says which teams have something to send. Then each is read by itself, and changed with its lock. */
export function leaseStore(database: Database): LeaseStore {
  const { dialect, read, writeFor } = database

  /** The team's active endpoints. */
  async function waitingEndpoints(teamId: string, { shareOf, at }: Limits): Promise<Waiting[]> {
    const now = dialect.now(at)
    const isLeased = sql`d.lease_owner is not null and d.lease_until > ${now}`
    const rows = await read<WaitingRow>(sql`
      select e.*, ${now} as now from ${activeEndpoints(teamId, { columns: ENDPOINT, isLeased })} e`)
    return rows.map((row) => readWaiting(row, shareOf(row.id)))
  }

  /** Endpoints that a delivery can be sent to, until they can use the whole limit. */
  async function findCandidates(limits: Limits, limit: number): Promise<Waiting[]> {
    const { perEndpoint } = limits
    const found: Waiting[] = []
    for await (const page of outboxPages(database, limits.at)) {
      const due = page.filter(({ dueIn }) => dueIn <= 0)
      const teams = await Promise.all(due.map(({ teamId }) => waitingEndpoints(teamId, limits)))
      const outdated = due.filter((_, index) => !teams[index]!.some((one) => isLeasable(one, perEndpoint)))
      await Promise.all(outdated.map(({ teamId }) => writeFor(teamId, ...settleOutbox(teamId, perEndpoint))))
      found.push(...teams.flat().filter((one) => isLeasable(one, one.share)))
      const healthy = found.filter(({ share }) => share === perEndpoint)
      const wanted = healthy.reduce((sum, { share, leased }) => sum + share - leased, 0)
      if (wanted >= limit || due.length < page.length) break
    }
    return found.sort((one, other) => other.share - one.share || one.dueIn - other.dueIn)
  }

  async function leaseFrom(teamId: string, chosen: Waiting[], lease: Lease): Promise<LeasedDelivery[]> {
    const statements = chosen.map((endpoint) => leaseSome(endpoint, lease))
    const results = await writeFor(teamId, ...statements, ...settleOutbox(teamId, lease.perEndpoint))
    // The numbers are results of the outbox.
    return results.flatMap((rows, index) =>
      typeof rows === 'number' ? [] : rows.map((row) => ({ ...row, endpoint: endpointOf(chosen[index]!) })),
    )
  }

  function leaseSome({ teamId, id, share }: Waiting, { owner, at, leaseMs }: Lease) {
    const now = dialect.now(at)
    const ofEndpoint = sql`team_id = ${teamId} and endpoint_id = ${id}`
    const due = sql`
      select id from deliveries
      where ${ofEndpoint} and status = 'pending' and next_attempt_at <= ${now}
        and (lease_owner is null or lease_until <= ${now})
        and exists (select 1 from webhook_endpoints where team_id = ${teamId} and id = ${id} and is_active = 1)
      order by next_attempt_at, id
      limit (select case when count(*) < ${share} then ${share} - count(*) else 0 end
             from deliveries
             where ${ofEndpoint} and lease_owner is not null and lease_until > ${now})`
    return returning<LeasedRow>(sql`
      update deliveries
      set lease_owner = ${owner}, lease_until = ${now} + ${leaseMs}
      where team_id = ${teamId} and ${dialect.isIn(sql`id`, due)}
      returning id, event_id as "eventId", body, attempt - attempts_before as attempt, message_id as "messageId",
                case when attempts_before = 0 then created_at end as "createdAt"`)
  }

  return {
    async leaseDeliveries({ limit, probes = limit, ...lease }) {
      if (limit === 0) return []
      const candidates = await findCandidates(limitsOf(lease), limit)
      const chosen = shareOut(candidates, { limit, probes, perEndpoint: lease.perEndpoint })
      const byTeam = Map.groupBy(chosen, ({ teamId }) => teamId)
      const results = await Promise.allSettled(Array.from(byTeam, ([teamId, some]) => leaseFrom(teamId, some, lease)))
      const leased = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
      const failure = results.find(({ status }) => status === 'rejected')
      // Otherwise what was leased for other teams would wait for the end of its lease.
      if (failure?.status === 'rejected' && leased.length === 0) throw failure.reason
      return leased
    },

    async releaseDeliveries(owner) {
      // Over all teams: only the leases say where an earlier process of this name had some. Once at the start and once at
      // the end of a process, and the index has leased deliveries only.
      const teams = await read<{ teamId: string }>(sql`
        select distinct team_id as "teamId" from deliveries where lease_owner is not null and lease_owner = ${owner}`)
      const release = (teamId: string) => sql`
        update deliveries set lease_owner = null, lease_until = null
        where team_id = ${teamId} and lease_owner is not null and lease_owner = ${owner}`
      await Promise.all(teams.map(({ teamId }) => writeFor(teamId, release(teamId), ...settleOutbox(teamId))))
    },

    async nextDueIn(given) {
      const limits = limitsOf(given)
      let soonest = Infinity
      for await (const page of outboxPages(database, limits.at)) {
        const due = page.filter(({ dueIn }) => dueIn <= 0)
        // Due in the outbox, but an endpoint that gets one at a time may have one in flight.
        const teams = await Promise.all(due.map(({ teamId }) => waitingEndpoints(teamId, limits)))
        const later = page[due.length]
        soonest = Math.min(soonest, later?.dueIn ?? Infinity, ...teams.flat().map(leasableIn))
        if (soonest <= 0) return 0
        if (later) break
      }
      return soonest === Infinity ? null : soonest
    },

    async dueFor(at) {
      const { value } = await outboxPages(database, at).next()
      return Math.max(0, -(value?.[0]?.dueIn ?? 0))
    },
  }
}

type Limits = { perEndpoint: number; shareOf: (endpointId: string) => number; at: number }
type Lease = { perEndpoint: number; owner: string; at: number; leaseMs: number }
type Capacity = { limit: number; probes: number; perEndpoint: number }
type LeasedRow = Omit<LeasedDelivery, 'endpoint'>

/** See `activeEndpoints`. */
type WaitingRow = EndpointRow & { dueAt: number | null; leased: number; leaseEnd: number | null; now: number }

/** With times from now, infinite if there is none. */
type Waiting = EndpointRow & { share: number; leased: number; dueIn: number; leaseEndsIn: number }

function readWaiting({ dueAt, leaseEnd, now, ...row }: WaitingRow, share: number): Waiting {
  return { ...row, share, dueIn: (dueAt ?? Infinity) - now, leaseEndsIn: (leaseEnd ?? Infinity) - now }
}

function limitsOf({ perEndpoint, oneAtATime, at }: EndpointLimits & { at: number }): Limits {
  // Not in the query of each team, because they can be thousands.
  const failing = new Set(oneAtATime)
  return { perEndpoint, shareOf: (endpointId) => (failing.has(endpointId) ? 1 : perEndpoint), at }
}

function isLeasable({ leased, dueIn }: Waiting, share: number): boolean {
  return leased < share && dueIn <= 0
}

function leasableIn({ leased, share, dueIn, leaseEndsIn }: Waiting): number {
  return leased < share ? Math.min(dueIn, leaseEndsIn) : leaseEndsIn
}

/** In the given order. The lease itself decides how much of its share each endpoint gets. */
function shareOut(candidates: Waiting[], { limit, probes, perEndpoint }: Capacity): Waiting[] {
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

function endpointOf(row: Waiting): LeasedDelivery['endpoint'] {
  const { id, teamId, url, secret, oldSecrets, failingSince } = readEndpoint(row)
  return { id, teamId, url, secret, oldSecrets, failingSince }
}
