import { setTimeout as delay } from 'node:timers/promises'
import { judgeAttempt } from '../domain/delivery-schedule.ts'
import type { RandomInt } from '../domain/random-text.ts'
import type { Log } from '../observe/log.ts'
import type { AttemptRecord, LeasedDelivery, WebhookStore } from '../store/webhooks.ts'
import type { SendAttempt } from './attempt.ts'
import { createCircuits } from './circuits.ts'
import { createWakeUp } from '../feed/wake-up.ts'

export type WebhookSenderLimits = typeof SENDER_LIMITS

export const SENDER_LIMITS = {
  /** Limits what one slow receiver can occupy, and protects one that has just recovered. */
  perEndpoint: 5,
  /** Each is a socket and a few kilobytes of memory. */
  inFlight: 200,
  /** Of these, for failing endpoints: even if all of them hang, capacity remains for the others. */
  probes: 100,
  /** Six times as long as an attempt can take, so that only deliveries of a dead process are taken over. */
  leaseMs: 60_000,
  /** How soon deliveries left by another process, or a changed clock, are noticed. */
  pollMs: 1_000,
  /** How long a result waits for an unavailable database. Then the lease is nearly over, and the delivery is retried. */
  recordingMs: 45_000,
  /** Wait at shutdown. An attempt takes no longer. */
  closingMs: 10_000,
}

export type WebhookSender = {
  /** A delivery may be due. */
  wake(): void
  /** Starts no new deliveries. */
  stop(): void
  /** Waits for running attempts, and releases the leases of those that do not finish. */
  close(): Promise<void>
}

/** `ageMs` is the time since its message was stored; null for a replay. */
export type EndedDelivery = { outcome: 'delivered' | 'failed'; ageMs: number | null }

type Ports = {
  store: Pick<WebhookStore, 'leaseDeliveries' | 'finishAttempt' | 'releaseDeliveries' | 'nextDueIn'>
  attempt: SendAttempt
  /** Identifies this process among those that send from the same database. */
  owner: string
  /** Delays between the attempts of one delivery. */
  delaysMs: readonly number[]
  random: RandomInt
  /** Called after the result of a delivery that needs no further attempt was recorded. */
  onEnd?: (ended: EndedDelivery) => void
  now: () => number
  log: Pick<Log, 'info' | 'warn'>
  limits?: WebhookSenderLimits
}

/** Sends due deliveries until closed. The outbox is authoritative: a lost wake-up costs a second, never a delivery. */
export function startSender(ports: Ports): WebhookSender {
  const { store, attempt, owner, delaysMs, random, onEnd, now, log, limits = SENDER_LIMITS } = ports
  const circuits = createCircuits()
  const wakeUp = createWakeUp()
  const inFlight = new Set<Promise<void>>()
  let probing = 0
  let isStopped = false
  let isClosed = false
  let isDatabaseDown = false
  const running = run()

  async function run(): Promise<void> {
    // If the owner id is stable, an earlier process with this id may have been killed while it held leases.
    await throughOutages(() => store.releaseDeliveries(owner))
    while (!isStopped) await wakeUp.wait((await throughOutages(sendDue)) ?? limits.pollMs)
  }

  /** Null while the database is unavailable. */
  async function throughOutages<Result>(work: () => Promise<Result>): Promise<Result | null> {
    try {
      const result = await work()
      isDatabaseDown = false
      return result
    } catch (error) {
      // Logged once per outage, not every second.
      if (!isDatabaseDown) log.warn({ err: error }, 'webhooks are paused because the outbox cannot be read')
      isDatabaseDown = true
      return null
    }
  }

  /** Starts due deliveries up to the limits. Returns for how long there is nothing to do. */
  async function sendDue(): Promise<number> {
    for (;;) {
      const shares = { perEndpoint: limits.perEndpoint, oneAtATime: circuits.open() }
      const dueInMs = await store.nextDueIn({ ...shares, at: now() })
      if (dueInMs !== 0) return Math.min(dueInMs ?? limits.pollMs, limits.pollMs)
      const limit = limits.inFlight - inFlight.size
      if (limit <= 0 || isStopped) return limits.pollMs
      const probes = Math.max(0, limits.probes - probing)
      const lease = { owner, at: now(), leaseMs: limits.leaseMs, limit, probes }
      const leased = await store.leaseDeliveries({ ...shares, ...lease })
      // `close` releases what was leased while the sender stopped.
      if (leased.length === 0 || isStopped) return limits.pollMs
      for (const delivery of leased) start(delivery)
    }
  }

  function start(delivery: LeasedDelivery): void {
    const isProbe = circuits.isOpen(delivery.endpoint.id)
    if (isProbe) probing++
    const work = send(delivery).finally(() => {
      inFlight.delete(work)
      if (isProbe) probing--
      wakeUp.wake()
    })
    inFlight.add(work)
  }

  async function send(delivery: LeasedDelivery): Promise<void> {
    const { id, eventId, body, messageId, attempt: attemptsBefore, createdAt, endpoint } = delivery
    const leasedAt = performance.now()
    const { retryAfterMs, ...result } = await attempt(endpoint, { eventId, body })
    const { httpStatus } = result
    circuits.record(endpoint.id, httpStatus)
    const at = now()
    const { failingSince, url } = endpoint
    const response = { httpStatus, retryAfterMs }
    // A test event is not retried: its user is watching now.
    const gapsMs = messageId === null ? [] : delaysMs
    const verdict = judgeAttempt(response, { attemptsBefore, failingSince, at, delaysMs: gapsMs, random })
    const facts = { deliveryId: id, endpointId: endpoint.id, status: httpStatus, attempt: attemptsBefore + 1 }
    if (verdict.outcome.status !== 'success') log.info({ ...facts, reason: result.error }, 'a webhook attempt failed')
    if (verdict.disableEndpoint !== null) log.warn(facts, 'a webhook endpoint will be disabled')
    const isRecorded = await record(
      { teamId: endpoint.teamId, endpointId: endpoint.id, deliveryId: id, url, at, ...result, ...verdict },
      leasedAt + limits.recordingMs,
    )
    const { status } = verdict.outcome
    const isOver = status !== 'pending' || verdict.disableEndpoint !== null
    if (!isRecorded || !isOver) return
    onEnd?.({
      outcome: status === 'success' ? 'delivered' : 'failed',
      ageMs: createdAt === null ? null : at - createdAt,
    })
  }

  /** Retries while the lease lasts. Recording twice is harmless, because the first time ends the lease. */
  async function record(attempted: AttemptRecord, until: number): Promise<boolean> {
    while (!isClosed && performance.now() < until) {
      const isRecorded = await throughOutages(() => store.finishAttempt(owner, attempted))
      if (isRecorded !== null) return isRecorded
      await delay(limits.pollMs, undefined, { ref: false })
    }
    return false
  }

  /** An unresponsive database delays shutdown no longer than an endpoint does. */
  function withClosingTimeout(work: Promise<unknown>): Promise<unknown> {
    return Promise.race([work, delay(limits.closingMs, undefined, { ref: false })])
  }

  function stop(): void {
    isStopped = true
    wakeUp.wake()
  }

  return {
    wake: wakeUp.wake,
    stop,
    async close() {
      stop()
      await withClosingTimeout(running.then(() => Promise.all(inFlight)))
      isClosed = true
      await withClosingTimeout(throughOutages(() => store.releaseDeliveries(owner)))
    },
  }
}
