import type { Log } from '../log.ts'
import type { WebhookStore } from '../store/webhooks.ts'

/** As long as messages are announced again and removed ones remembered: whoever asks what became of one asks by then. */
const KEPT_MS = 30 * 86_400_000
/** What an endpoint that is away may have waiting; two days of a message every two seconds. */
const PENDING_MAX = 100_000
/** A few milliseconds, in which mail that arrives has to wait. */
const ROWS_PER_STEP = 500

export type WebhookSweepPorts = {
  store: Pick<
    WebhookStore,
    'endpointIds' | 'removedEndpoints' | 'emptySomeOfEndpoint' | 'forgetDeliveries' | 'failInactive' | 'failBacklog'
  >
  log: Pick<Log, 'warn'>
  now: () => number
}

/** Removes what is left of removed endpoints, what ended long ago, and the oldest of what will never be caught up with. */
export async function sweepWebhooks(
  { store, log, now }: WebhookSweepPorts,
  inSteps: (step: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  for (const id of await store.removedEndpoints()) await inSteps(() => store.emptySomeOfEndpoint(id, ROWS_PER_STEP))
  for (const endpointId of await store.endpointIds()) {
    // What a crash left of switching it off.
    const inactive = { limit: ROWS_PER_STEP, at: now() }
    await inSteps(async () => (await store.failInactive(endpointId, inactive)) === ROWS_PER_STEP)
    const page = { before: now() - KEPT_MS, limit: ROWS_PER_STEP }
    await inSteps(async () => (await store.forgetDeliveries(endpointId, page)) === ROWS_PER_STEP)
    await inSteps(async () => {
      const backlog = { kept: PENDING_MAX, limit: ROWS_PER_STEP, at: now() }
      const failed = await store.failBacklog(endpointId, backlog)
      if (failed > 0)
        log.warn({ endpointId, failed }, 'too many deliveries were waiting for an endpoint: the oldest failed')
      return failed === ROWS_PER_STEP
    })
  }
}
