import type { Log } from '../observe/log.ts'
import type { Store } from '../store/store.ts'
import type { EndpointKey } from '../store/webhooks.ts'

/** As long as deleted messages are remembered. Users look up a delivery long before that. */
const KEPT_MS = 30 * 86_400_000
/** Pending deliveries of an unreachable endpoint: two days with a message every two seconds. */
const PENDING_MAX = 100_000
/** Takes a few milliseconds, during which arriving mail has to wait. */
const ROWS_PER_STEP = 500

export type WebhookSweepPorts = {
  store: Pick<
    Store,
    | 'listTeams'
    | 'endpointIds'
    | 'removedEndpoints'
    | 'emptySomeOfEndpoint'
    | 'forgetDeliveries'
    | 'failInactive'
    | 'failBacklog'
  >
  log: Pick<Log, 'warn'>
  now: () => number
}

type InSteps = (step: () => Promise<boolean>) => Promise<void>

/** Deletes the rest of deleted endpoints and old deliveries, and fails the oldest of a backlog that is too long. */
export async function sweepWebhooks(ports: WebhookSweepPorts, inSteps: InSteps): Promise<void> {
  const { store } = ports
  for (const { id: teamId } of await store.listTeams()) {
    for (const id of await store.removedEndpoints(teamId)) {
      await inSteps(() => store.emptySomeOfEndpoint({ teamId, id }, ROWS_PER_STEP))
    }
    for (const id of await store.endpointIds(teamId)) await sweepEndpoint(ports, { teamId, id }, inSteps)
  }
}

async function sweepEndpoint(
  { store, log, now }: WebhookSweepPorts,
  endpoint: EndpointKey,
  inSteps: InSteps,
): Promise<void> {
  // Remaining work if a crash interrupted disabling the endpoint.
  const inactive = { limit: ROWS_PER_STEP, at: now() }
  await inSteps(async () => (await store.failInactive(endpoint, inactive)) === ROWS_PER_STEP)
  const page = { before: now() - KEPT_MS, limit: ROWS_PER_STEP }
  await inSteps(async () => (await store.forgetDeliveries(endpoint, page)) === ROWS_PER_STEP)
  await inSteps(async () => {
    const failed = await store.failBacklog(endpoint, { kept: PENDING_MAX, limit: ROWS_PER_STEP, at: now() })
    const facts = { endpointId: endpoint.id, failed }
    if (failed > 0) log.warn(facts, 'too many pending deliveries for an endpoint, failed the oldest')
    return failed === ROWS_PER_STEP
  })
}
