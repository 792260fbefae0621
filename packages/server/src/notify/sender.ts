import { setTimeout as delay } from 'node:timers/promises'
import { judgeAttempt } from '../domain/delivery-schedule.ts'
import type { RandomInt } from '../domain/random-text.ts'
import type { Log } from '../log.ts'
import type { AttemptRecord, LeasedDelivery, WebhookStore } from '../store/webhooks.ts'
import type { Attempt } from './attempt.ts'
import { createCircuits } from './circuits.ts'
import { createNap } from './nap.ts'

export type SenderLimits = typeof SENDER_LIMITS

export const SENDER_LIMITS = {
  /** One slow receiver holds no more than this of what is under way, and is not flooded when it comes back. */
  perEndpoint: 5,
  /** Each is a socket and some kilobytes of memory. */
  inFlight: 200,
  /** Of these, for endpoints that keep failing: however many hang, there is room for those that do not. */
  probes: 100,
  /** Six times as long as an attempt can take, so that only what a dead process held is taken over. */
  leaseMs: 60_000,
  /** What another process left, or a clock that was set, is noticed this soon. */
  lookEveryMs: 1_000,
  /** How long a result may wait for a database that is away: then the lease is nearly over, and someone tries again. */
  recordingMs: 45_000,
  /** At shutdown; an attempt takes no longer by itself. */
  closingMs: 10_000,
}

export type Sender = {
  /** There may be something due. */
  wake(): void
  /** Takes nothing new from now on. */
  stop(): void
  /** Lets what is under way come to its end, and gives back what does not. */
  close(): Promise<void>
}

type Ports = {
  store: Pick<WebhookStore, 'leaseDeliveries' | 'finishAttempt' | 'releaseDeliveries' | 'nextDueIn'>
  attempt: Attempt
  /** Tells this process from others that send from the same database. */
  owner: string
  /** The gaps between the attempts of one delivery. */
  delaysMs: readonly number[]
  random: RandomInt
  now: () => number
  log: Pick<Log, 'info' | 'warn'>
  limits?: SenderLimits
}

/** Sends what is due until closed. The outbox is the truth: a wake that is lost costs a second, never a delivery. */
export function startSender(ports: Ports): Sender {
  const { store, attempt, owner, delaysMs, random, now, log, limits = SENDER_LIMITS } = ports
  const circuits = createCircuits()
  const nap = createNap()
  const underWay = new Set<Promise<void>>()
  let probing = 0
  let isStopped = false
  let isClosed = false
  let isAway = false
  const running = run()

  async function run(): Promise<void> {
    // Where the same owner comes back, an earlier life of it may have been killed with deliveries in its hands.
    await throughOutages(() => store.releaseDeliveries(owner))
    while (!isStopped) {
      nap.begin()
      await nap.end((await throughOutages(sendDue)) ?? limits.lookEveryMs)
    }
  }

  /** Null when the database is away. */
  async function throughOutages<Result>(work: () => Promise<Result>): Promise<Result | null> {
    try {
      const result = await work()
      isAway = false
      return result
    } catch (error) {
      // Once for each outage, not once a second.
      if (!isAway) log.warn({ err: error }, 'webhooks wait: the outbox cannot be read')
      isAway = true
      return null
    }
  }

  /** Starts what is due as far as there is room, and tells how long there is nothing to do. */
  async function sendDue(): Promise<number> {
    for (;;) {
      const shares = { perEndpoint: limits.perEndpoint, oneAtATime: circuits.open() }
      const dueInMs = await store.nextDueIn({ ...shares, at: now() })
      if (dueInMs !== 0) return Math.min(dueInMs ?? limits.lookEveryMs, limits.lookEveryMs)
      const limit = limits.inFlight - underWay.size
      if (limit <= 0 || isStopped) return limits.lookEveryMs
      const probes = Math.max(0, limits.probes - probing)
      const lease = { owner, at: now(), leaseMs: limits.leaseMs, limit, probes }
      const leased = await store.leaseDeliveries({ ...shares, ...lease })
      // What was leased while it was stopped is given back when it is closed.
      if (leased.length === 0 || isStopped) return limits.lookEveryMs
      for (const delivery of leased) start(delivery)
    }
  }

  function start(delivery: LeasedDelivery): void {
    const isProbe = circuits.isOpen(delivery.endpoint.id)
    if (isProbe) probing++
    const work = send(delivery).finally(() => {
      underWay.delete(work)
      if (isProbe) probing--
      nap.wake()
    })
    underWay.add(work)
  }

  async function send(delivery: LeasedDelivery): Promise<void> {
    const { id, eventId, body, messageId, attempt: attemptsBefore, endpoint } = delivery
    const leasedAt = performance.now()
    const { retryAfterMs, ...result } = await attempt(endpoint, { eventId, body })
    const { httpStatus } = result
    circuits.record(endpoint.id, httpStatus)
    const at = now()
    const { failingSince, url } = endpoint
    const answer = { httpStatus, retryAfterMs }
    // A test is for whoever is looking now.
    const gapsMs = messageId === null ? [] : delaysMs
    const verdict = judgeAttempt(answer, { attemptsBefore, failingSince, at, delaysMs: gapsMs, random })
    const facts = { deliveryId: id, endpointId: endpoint.id, status: httpStatus, attempt: attemptsBefore + 1 }
    if (verdict.outcome.status !== 'success') log.info(facts, 'a webhook was not taken')
    if (verdict.disableEndpoint !== null) log.warn(facts, 'a webhook endpoint is to be switched off')
    await record({ deliveryId: id, url, at, ...result, ...verdict }, leasedAt + limits.recordingMs)
  }

  /** Insists while the lease lasts. Done twice it is done once: the first time ends the lease. */
  async function record(attempted: AttemptRecord, until: number): Promise<void> {
    while (!isClosed && performance.now() < until) {
      const isRecorded = await throughOutages(() => store.finishAttempt(owner, attempted))
      if (isRecorded !== null) return
      await delay(limits.lookEveryMs, undefined, { ref: false })
    }
  }

  /** A database that does not answer holds up the end no more than an endpoint does. */
  function orClosingTime(work: Promise<unknown>): Promise<unknown> {
    return Promise.race([work, delay(limits.closingMs, undefined, { ref: false })])
  }

  function stop(): void {
    isStopped = true
    nap.wake()
  }

  return {
    wake: nap.wake,
    stop,
    async close() {
      stop()
      await orClosingTime(running.then(() => Promise.all(underWay)))
      isClosed = true
      await orClosingTime(throughOutages(() => store.releaseDeliveries(owner)))
    },
  }
}
