import type { Log } from '../observe/log.ts'
import type { WebhookStore } from '../store/webhooks.ts'

/** As long as deleted messages are remembered. Users look up a delivery long before that. */
const KEPT_MS = 30 * 86_400_000
/** Pending deliveries of an unreachable endpoint: two days with a message every two seconds. */
const PENDING_MAX = 100_000
/** Takes a few milliseconds, during which arriving mail has to wait. */
const ROWS_PER_STEP = 500

export type WebhookSweepPorts = {
  store: Pick<
    WebhookStore,
    'endpointIds' | 'removedEndpoints' | 'emptySomeOfEndpoint' | 'forgetDeliveries' | 'failInactive' | 'failBacklog'
  >
  log: Pick<Log, 'warn'>
  now: () => number
}

/** Deletes the rest of deleted endpoints and old deliveries, and fails the oldest of a backlog that is too long. */
export async function sweepWebhooks(
  { store, log, now }: WebhookSweepPorts,
  inSteps: (step: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  for (const id of await store.removedEndpoints()) await inSteps(() => store.emptySomeOfEndpoint(id, ROWS_PER_STEP))
  for (const endpointId of await store.endpointIds()) {
    // Remaining work if a crash interrupted disabling the endpoint.
    const inactive = { limit: ROWS_PER_STEP, at: now() }
    await inSteps(async () => (await store.failInactive(endpointId, inactive)) === ROWS_PER_STEP)
    const page = { before: now() - KEPT_MS, limit: ROWS_PER_STEP }
    await inSteps(async () => (await store.forgetDeliveries(endpointId, page)) === ROWS_PER_STEP)
    await inSteps(async () => {
      const backlog = { kept: PENDING_MAX, limit: ROWS_PER_STEP, at: now() }
      const failed = await store.failBacklog(endpointId, backlog)
      if (failed > 0) log.warn({ endpointId, failed }, 'too many pending deliveries for an endpoint, failed the oldest')
      return failed === ROWS_PER_STEP
    })
  }
}
