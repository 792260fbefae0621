import { expect } from 'vitest'
import { seededRandom } from '../../test/support/seeded-random.ts'
import type { Database } from './database.ts'
import { sql } from './sql.ts'
import type { Store } from './store.ts'
import { attemptOf, NOW, startWebhooks } from './webhook-contract.ts'
import type { AttemptRecord, DeliveryKey, EndpointKey, EndpointLimits, LeasedDelivery } from './webhooks.ts'

const TEAMS = 3
const ENDPOINTS = 3
const PER_ENDPOINT = 2
const OWNERS = ['one', 'other']

type Parts = {
  store: Store
  database: Database
  clock: { now: number }
  power: { transactionsLeft: number }
  allWritten: () => Promise<unknown>
}

/** A pending delivery of an active endpoint. */
type Pending = DeliveryKey & { nextAttemptAt: number; leaseUntil: number | null }

/**
 * Random operations for several teams, some of them ended by a crash before one of their transactions. After each, the
 * outbox has an entry for each team with something pending and for no other, and its time is neither too late nor so early
 * that the team would be looked at for nothing. Each lease gets what is due, within the limits. Finally everything is sent.
 */
export async function leaveToChance(parts: Parts, { seed, steps }: { seed: number; steps: number }): Promise<void> {
  const { store, database, clock, power, allWritten } = parts
  const random = seededRandom(seed)
  const teams = await Promise.all(Array.from({ length: TEAMS }, () => startWebhooks(async () => store)))
  const endpoints: EndpointKey[] = []
  for (const { addEndpoint } of teams) {
    for (let count = 0; count < ENDPOINTS; count++) endpoints.push(await addEndpoint())
  }
  const removed: EndpointKey[] = []
  let held: { owner: string; delivery: LeasedDelivery }[] = []
  const crashed = (error: unknown) => expect(String(error)).toContain('the power is gone')

  function someLimits(): EndpointLimits {
    const failing = endpoints.filter(() => random.chance(0.3))
    return { perEndpoint: PER_ENDPOINT, oneAtATime: failing.map(({ id }) => id) }
  }

  async function lease(): Promise<void> {
    const [owner, limits, leaseMs] = [random.pick(OWNERS), someLimits(), random.pick([10, 40])]
    const expected = leasable(await pendingIn(database), limits, clock.now)
    const leased = await store.leaseDeliveries({ ...limits, owner, at: clock.now, leaseMs, limit: 1_000 })
    held.push(...leased.map((delivery) => ({ owner, delivery })))
    // Negative after a crash: then it may have leased for some teams only.
    if (power.transactionsLeft < 0) return
    expect(leased.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort())
  }

  async function finish(): Promise<void> {
    if (held.length === 0) return
    const { owner, delivery } = random.pick(held)
    held = held.filter((one) => one.delivery !== delivery)
    await store.finishAttempt(owner, attemptOf(delivery, { at: clock.now, ...random.pick(OUTCOMES) }))
  }

  async function deliver(): Promise<void> {
    const { team, deliver: deliverTo } = random.pick(teams)
    const own = endpoints.filter(({ teamId }) => teamId === team.id)
    const chosen = own.filter(() => random.chance(0.7)).map(({ id }) => id)
    for (let count = random.below(4); count >= 0; count--) await deliverTo(chosen)
  }

  const enable = () => store.updateEndpoint(random.pick(endpoints), { isActive: true }, clock.now)

  const actions = {
    deliver,
    deliverMore: deliver,
    lease,
    leaseMore: lease,
    finish,
    finishMore: finish,
    release: () => store.releaseDeliveries(random.pick(OWNERS)),
    disable: () => store.updateEndpoint(random.pick(endpoints), { isActive: false }, clock.now),
    enable,
    enableMore: enable,
    sweepInactive: () => store.failInactive(random.pick(endpoints), { limit: 2, at: clock.now }),
    failBacklog: () => store.failBacklog(random.pick(endpoints), { kept: random.below(3), limit: 9, at: clock.now }),
    forget: () => store.forgetDeliveries(random.pick(endpoints), { before: clock.now - 100, limit: 9 }),
    replayFailed: () => store.replayFailed(random.pick(endpoints), { at: clock.now, limit: 3 }),
    async replay() {
      const endpoint = random.pick(endpoints)
      const listed = await store.listDeliveries(endpoint, { limit: 5, offset: 0, status: null })
      const { teamId, id: endpointId } = endpoint
      if (listed.length > 0) await store.replayDelivery({ teamId, endpointId, id: random.pick(listed).id }, clock.now)
    },
    async replaceEndpoint() {
      if (!random.chance(0.3)) return
      const index = random.below(endpoints.length)
      const endpoint = endpoints[index]!
      const team = teams.find((one) => one.team.id === endpoint.teamId)!
      endpoints[index] = await team.addEndpoint()
      await store.hideEndpoint(endpoint, clock.now)
      removed.push(endpoint)
    },
    async sweepRemoved() {
      if (removed.length > 0) await store.emptySomeOfEndpoint(random.pick(removed), 2)
    },
    async wait() {
      clock.now += random.below(30)
    },
  }

  for (let step = 0; step < steps; step++) {
    const name = random.pick(Object.keys(actions) as (keyof typeof actions)[])
    const isCrash = random.chance(0.2)
    if (isCrash) power.transactionsLeft = random.below(3)
    await (isCrash ? actions[name]().catch(crashed) : actions[name]())
    await allWritten()
    power.transactionsLeft = Infinity
    await checkOutbox(parts, someLimits(), `seed ${seed}, step ${step}, ${name}${isCrash ? ' with a crash' : ''}`)
  }
  await sendAll(parts)
}

const OUTCOMES: Partial<AttemptRecord>[] = [
  { outcome: { status: 'success' } },
  { outcome: { status: 'failed' } },
  { outcome: { status: 'pending', afterMs: 0 } },
  { outcome: { status: 'pending', afterMs: 50 } },
  { outcome: { status: 'failed' }, disableEndpoint: { reason: 'Gone.', failingSince: null } },
]

async function checkOutbox({ store, database, clock }: Parts, limits: EndpointLimits, what: string): Promise<void> {
  const pending = await pendingIn(database)
  const entries = await database.read<{ teamId: string; dueAt: number }>(
    sql`select team_id as "teamId", due_at as "dueAt" from outboxes`,
  )
  const byTeam = Map.groupBy(pending, ({ teamId }) => teamId)
  expect(entries.map(({ teamId }) => teamId).sort(), what).toEqual([...byTeam.keys()].sort())
  for (const { teamId, dueAt } of entries) {
    expect(dueAt, what).toBeLessThanOrEqual(firstLeaseAt(byTeam.get(teamId)!, PER_ENDPOINT))
    expect(dueAt, what).toBeGreaterThanOrEqual(firstLeaseAt(byTeam.get(teamId)!, Infinity))
  }
  const dueIn = await store.nextDueIn({ ...limits, at: clock.now })
  expect(dueIn === 0, what).toBe(leasable(pending, limits, clock.now).length > 0)
  expect(dueIn === null, what).toBe(pending.length === 0)
}

async function sendAll({ store, database, clock }: Parts): Promise<void> {
  const limits = { perEndpoint: PER_ENDPOINT, oneAtATime: [] }
  for (let dueIn = await store.nextDueIn({ ...limits, at: clock.now }); dueIn !== null;) {
    clock.now += dueIn
    const lease = { owner: 'last', at: clock.now, leaseMs: 10, limit: 3 }
    for (const delivery of await store.leaseDeliveries({ ...limits, ...lease })) {
      expect(await store.finishAttempt('last', attemptOf(delivery, { at: clock.now }))).toBe(true)
    }
    dueIn = await store.nextDueIn({ ...limits, at: clock.now })
  }
  expect(await pendingIn(database)).toEqual([])
  expect(clock.now).toBeLessThan(NOW + 60_000)
}

function pendingIn(database: Database): Promise<Pending[]> {
  return database.read(sql`
    select d.team_id as "teamId", d.endpoint_id as "endpointId", d.id, d.next_attempt_at as "nextAttemptAt",
           d.lease_until as "leaseUntil"
    from deliveries d join webhook_endpoints e on e.team_id = d.team_id and e.id = d.endpoint_id
    where d.status = 'pending' and e.is_active = 1
    order by d.next_attempt_at, d.id`)
}

/** What a lease gets. */
function leasable(pending: Pending[], { perEndpoint, oneAtATime }: EndpointLimits, at: number): Pending[] {
  return endpointsIn(pending).flatMap((own) => {
    const isLeased = ({ leaseUntil }: Pending) => leaseUntil !== null && leaseUntil > at
    const share = oneAtATime.includes(own[0]!.endpointId) ? 1 : perEndpoint
    const due = own.filter((one) => !isLeased(one) && one.nextAttemptAt <= at)
    return due.slice(0, Math.max(0, share - own.filter(isLeased).length))
  })
}

/** When the first of them can be leased, or its lease ends. */
function firstLeaseAt(pending: Pending[], perEndpoint: number): number {
  const times = endpointsIn(pending).map((own) => {
    const leaseEnds = own.flatMap(({ leaseUntil }) => leaseUntil ?? [])
    const free = leaseEnds.length < perEndpoint ? own.filter(({ leaseUntil }) => leaseUntil === null) : []
    return Math.min(...leaseEnds, ...free.map(({ nextAttemptAt }) => nextAttemptAt))
  })
  return Math.min(...times)
}

function endpointsIn(pending: Pending[]): Pending[][] {
  return [...Map.groupBy(pending, ({ endpointId }) => endpointId).values()]
}
