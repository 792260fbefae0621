import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { vi } from 'vitest'
import { store } from '../support/announce.ts'
import { startServer } from '../support/server.ts'
import { webhookClient } from '../support/webhook-client.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

const ENDPOINTS = 20
const DEAD_MAX = 5
const MESSAGES_PER_SECOND = 10
/** For a machine that is busy with other tests. */
const CATCH_UP_MS_MAX = 60_000

/** The 95th percentile of the healthy endpoints in milliseconds, without and with endpoints that never respond. */
export async function compareLatencies(messages: number): Promise<{ alone: number; besideDead: number }> {
  // Two servers at the same time, so that other work on the machine slows both.
  const runs = await Promise.all([0, DEAD_MAX].map((dead) => healthyLatencies({ dead, messages })))
  const [alone, besideDead] = runs.map((latencies) => Math.round(percentile(latencies, 0.95))) as [number, number]
  console.info({ alone, besideDead })
  return { alone, besideDead }
}

/** How soon after their announcement the healthy ones of 20 endpoints received messages, while some never respond. */
async function healthyLatencies(counts: Counts): Promise<number[]> {
  return (await deliver(counts)).latencies
}

type Counts = { dead: number; messages: number }

/** Resolves when the healthy endpoints have everything. `mostHanging`: how many attempts hung at one time. */
export async function deliver({ dead, messages }: Counts): Promise<{ latencies: number[]; mostHanging: number }> {
  const announcedAt = new Map<string, number>()
  const latencies: number[] = []
  let hangs = 0
  const receiver = await startWebhookReceiver(({ path, messageId }) => {
    const isDead = Number(path.slice(1)) < dead
    if (isDead) hangs++
    // The same endpoints are measured with and without dead ones.
    else if (Number(path.slice(1)) >= DEAD_MAX) latencies.push(performance.now() - announcedAt.get(messageId)!)
    return isDead ? null : { status: 200 }
  })
  const { url, apiKey, close } = await startServer({ WEBHOOK_ALLOWED_HOSTS: receiver.host })
  const webhooks = webhookClient(url, apiKey)
  for (let number = 0; number < ENDPOINTS; number++) await webhooks.add({ url: `${receiver.url}/${number}` })

  const startedAt = performance.now()
  for (let number = 0; number < messages; number++) {
    await delay(Math.max(1, startedAt + (number * 1000) / MESSAGES_PER_SECOND - performance.now()))
    const id = randomUUID()
    announcedAt.set(id, performance.now())
    await store(url, { id })
  }
  await vi.waitUntil(() => latencies.length >= messages * (ENDPOINTS - DEAD_MAX), { timeout: CATCH_UP_MS_MAX })
  if (dead > 0 && hangs < dead) throw new Error('the dead endpoints were not even asked')
  receiver.hangUp()
  await close()
  return { latencies, mostHanging: receiver.mostHanging() }
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
