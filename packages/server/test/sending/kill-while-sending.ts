import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { webhookClient } from '../support/webhook-client.ts'
import { startWebhookReceiver, type ReceivedWebhook } from '../support/webhook-receiver.ts'
import type { Fleet, StartFleet } from './fleets.ts'

const ENDPOINTS = 10
/** Five per endpoint, in all processes together. */
const IN_FLIGHT_MAX = 5 * ENDPOINTS
const FAILING_SHARE = 0.3
/** So that attempts are in progress whenever a process is killed. */
const ANSWER_MS_MAX = 30
/** A part of the time that the deliveries of one run take. */
const LIFE_MS_MAX = 500
const RETRY_MS = 100
/** Leases of a killed process end within a minute. */
const RECOVERY_MS_MAX = 150_000

/** Short, and more than any delivery needs: one in 10¹³ fails that often at a receiver that fails 30 %. */
const DELAYS = Array.from({ length: 24 }, () => '0.2').join(',')

export type SendingReport = {
  kills: number
  deliveries: number
  /** Requests that the receiver got, including those that it failed. */
  attempts: number
  /** Deliveries that were never accepted. */
  lost: string[]
  /** How often a delivery was accepted again. */
  duplicates: number
  duplicatesAllowed: number
  /** Deliveries that arrived with more than one id. */
  renamed: string[]
  /** Requests to disabled or deleted endpoints, before and after that. */
  strays: number
  straysBefore: number
}

/** Kills sending processes repeatedly, then compares the stored messages with those that a receiver got. */
export async function killWhileSending(
  startFleet: StartFleet,
  { kills, messages }: { kills: number; messages: number },
): Promise<SendingReport> {
  const taken: ReceivedWebhook[] = []
  const receiver = await startWebhookReceiver(async (webhook) => {
    await delay(randomInt(ANSWER_MS_MAX))
    if (Math.random() < FAILING_SHARE) return { status: 500 }
    taken.push(webhook)
    return { status: 200 }
  })
  const fleet = await startFleet({ WEBHOOK_ALLOWED_HOSTS: receiver.host, WEBHOOK_RETRY_DELAYS: DELAYS })
  const webhooks = webhookClient(fleet.url(), fleet.key)
  const paths = Array.from({ length: ENDPOINTS }, (_, number) => `/endpoint-${number}`)
  for (const path of paths) await webhooks.add({ url: receiver.url + path })

  // They receive mail while they exist and are enabled.
  const inactive = await webhooks.add({ url: `${receiver.url}/inactive` })
  const deleted = await webhooks.add({ url: `${receiver.url}/deleted` })
  const strays = () => receiver.received.filter(({ path }) => path === '/inactive' || path === '/deleted')
  const ids: string[] = [randomUUID()]
  await announce(fleet, ids[0]!)
  await vi.waitUntil(() => new Set(taken.map(({ path }) => path)).size === ENDPOINTS + 2, { timeout: RECOVERY_MS_MAX })
  await webhooks.change(inactive.endpoint.id, { active: false })
  await webhooks.remove(deleted.endpoint.id)
  const straysBefore = strays().length

  for (let life = 1; life <= kills; life++) {
    const share = Array.from({ length: Math.ceil((messages - ids.length) / (kills - life + 1)) }, () => randomUUID())
    ids.push(...share)
    // Announcements without a response because of the kill are repeated, as the worker does.
    const announced = Promise.all(share.map((id) => announce(fleet, id)))
    await vi.waitUntil(() => taken.some(({ messageId }) => share.some((id) => id === messageId)), {
      timeout: RECOVERY_MS_MAX,
    })
    // Not a wait for a condition: the kill comes at a random moment.
    await delay(randomInt(LIFE_MS_MAX))
    await fleet.killOne()
    await announced
  }

  const wanted = ids.flatMap((id) => paths.map((path) => `${id} ${path}`))
  const find = () => Map.groupBy(taken, ({ messageId, path }) => `${messageId} ${path}`)
  const isEverythingTaken = () => {
    const found = find()
    return wanted.every((key) => found.has(key))
  }
  // Missing deliveries are reported then.
  await vi.waitUntil(isEverythingTaken, { timeout: RECOVERY_MS_MAX, interval: 100 }).catch(() => {})
  // Deliveries in flight when the last message is accepted arrive too.
  await fleet.stop()
  const found = find()
  const received = Map.groupBy(receiver.received, ({ messageId, path }) => `${messageId} ${path}`)
  return {
    kills,
    deliveries: wanted.length,
    attempts: wanted.reduce((sum, key) => sum + (received.get(key)?.length ?? 0), 0),
    lost: wanted.filter((key) => !found.has(key)),
    duplicates: wanted.reduce((sum, key) => sum + (found.get(key)?.length ?? 1) - 1, 0),
    duplicatesAllowed: kills * IN_FLIGHT_MAX,
    renamed: wanted.filter((key) => new Set(received.get(key)?.map(({ id }) => id)).size > 1),
    strays: strays().length - straysBefore,
    straysBefore,
  }
}

export function expectAllDelivered(report: SendingReport): void {
  console.info(report)
  expect(report).toMatchObject({ lost: [], renamed: [], strays: 0 })
  expect(report.duplicates).toBeLessThanOrEqual(report.duplicatesAllowed)
  // The test is meaningful: failures were retried, and both endpoints would have received events.
  expect(report.attempts).toBeGreaterThan(report.deliveries * 1.2)
  expect(report.straysBefore).toBeGreaterThanOrEqual(2)
}

/** Until some process has accepted it. */
async function announce(fleet: Fleet, id: string): Promise<void> {
  for (;;) {
    const status = await fleet.announce(id).catch(() => null)
    if (status === 200) return
    await delay(RETRY_MS)
  }
}
