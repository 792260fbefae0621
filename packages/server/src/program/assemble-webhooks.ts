import { randomUUID } from 'node:crypto'
import type { Config } from './config.ts'
import type { Log } from '../observe/log.ts'
import { meteredAttempt } from './metered.ts'
import type { Meters } from '../observe/meters.ts'
import { createEncryption } from '../manage/encryption.ts'
import type { EndpointPorts } from '../manage/endpoints.ts'
import { limitTests } from '../manage/test-limit.ts'
import { createAttempts } from '../notify/attempt.ts'
import { createSafeRequest } from '../notify/safe-request.ts'
import { startSender } from '../notify/sender.ts'
import type { Tracing } from '../observe/tracing.ts'
import { newId, secureRandom } from '../random.ts'
import type { Store } from '../store/store.ts'
import { tracedAttempt } from './traced.ts'

/**
 * Lease owner when only one process sends. It is the same after a restart, so a restart does not wait for the leases of
 * a killed process to expire.
 */
const SINGLE_PROCESS_OWNER = 'alone'

type Parts = { store: Store; secretKey: string; meters: Meters | null; tracing: Tracing | null; now: () => number }

/** What managing endpoints needs, and the sender of due deliveries. */
export function assembleWebhooks(config: Config, log: Log, { store, secretKey, meters, tracing, now }: Parts) {
  const allowedHosts = config.webhookAllowedHosts
  const encryption = createEncryption(secretKey)
  const request = createSafeRequest({ allowedHosts })
  const traceHeaders = () => tracing?.headers() ?? {}
  const send = createAttempts({ request, decryptSecret: encryption.decrypt, traceHeaders, now, log })
  const attempt = tracedAttempt(meteredAttempt(send, meters), tracing)
  const sender = startSender({
    store,
    attempt,
    owner: config.databaseUrl ? randomUUID() : SINGLE_PROCESS_OWNER,
    delaysMs: config.webhookRetryDelaysMs,
    random: secureRandom,
    onEnd: ({ outcome, ageMs }) => meters?.deliveryEnded(outcome, ageMs === null ? null : ageMs / 1000),
    now,
    log,
  })
  meters?.watch('mailhatch_webhook_oldest_due_seconds', async () => (await store.dueFor(now())) / 1000)
  const endpoints: EndpointPorts = {
    store,
    encryption,
    allowedHosts,
    attempt: limitTests(attempt),
    wakeSender: sender.wake,
    rootDomain: config.rootDomain,
    newId,
    now,
  }
  return { endpoints, sender }
}
