import type { Hono } from 'hono'
import type { AnswerEnvironment } from '../answer-errors.ts'
import type { Bucket } from '../bucket/bucket.ts'
import { AppError } from '../domain/errors.ts'
import { metadataKey, metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import type { Log } from '../observe/log.ts'
import { inGroups } from '../domain/in-groups.ts'
import { invalid, messageNotFound, readDomain, readLimit, readMessage } from './admin-params.ts'
import type { AdminSettings } from './admin-settings.ts'
import { objectExists, type StoredOutcome } from './announce-stored.ts'

/** Mails read and posted at once. Each can be 25 MiB. */
const RETRY_AT_ONCE_MAX = 4
/** Proxies commonly end a request after 30 s. The client passes the cursor on to continue. */
const RETRY_FOR_MS = 20_000

export type RetryPorts = {
  bucket: Pick<Bucket, 'get' | 'list'>
  /** Announces the mail whose unprocessed metadata has this key. Null when no webhook is configured. */
  announceNow: ((key: string) => Promise<StoredOutcome>) | null
  settings: AdminSettings
  now: () => number
  log: Pick<Log, 'error'>
}

export function addRetryRoutes(
  app: Hono<AnswerEnvironment>,
  { bucket, announceNow, settings, now, log }: RetryPorts,
): void {
  app.post('/admin/inboxes/:localPart/messages/:id/webhook', async (context) => {
    const { localPart, id } = context.req.param()
    const message = readMessage(settings, { localPart, id, domain: context.req.query('domain') })
    const key = metadataKey('unprocessed', message)
    const isWaiting = await objectExists(bucket, key)
    if (!isWaiting) throw await refuse()
    const result = await requireWebhook(announceNow)(key)
    if (result.outcome === 'gone') throw await refuse()
    if (result.outcome === 'raw gone')
      throw new AppError('raw_unavailable', 'The raw mail of this message no longer exists.')
    if (result.outcome !== 'failed') return context.json({ ok: true, status: 'processed' })
    const { status, lastStatus, lastError } = result.metadata
    throw new AppError('announcement_failed', `The API did not accept the message: ${lastError}`, {
      extra: { ok: false, status, webhookStatus: lastStatus },
    })

    async function refuse(): Promise<AppError> {
      const isProcessed = await objectExists(bucket, metadataKey('processed', message))
      return isProcessed ? new AppError('already_processed', 'Already processed') : messageNotFound()
    }
  })

  app.post('/admin/webhook/retry', async (context) => {
    const announce = requireWebhook(announceNow)
    const domain = readDomain(settings, context.req.query('domain'))
    const prefix = domain === null ? metadataPrefix('unprocessed') : metadataPrefix('unprocessed', domain)
    const after = context.req.query('cursor')
    const cursor = after ? `${metadataPrefix('unprocessed')}${after}` : undefined
    if (cursor && !cursor.startsWith(prefix)) throw invalid('cursor', 'must be the cursor of the previous response')
    const limit = readLimit(context.req.query('limit'))
    const page = await bucket.list({ prefix, cursor, limit })
    const keys = page.keys.filter((key) => parseMetadataKey(key) !== null)
    const until = now() + RETRY_FOR_MS
    let hasFailed = false
    const outcomes = await inGroups(keys, RETRY_AT_ONCE_MAX, async (key) => {
      // The storage fails, or this request has used up Cloudflare's subrequest limit. The rest stays untried.
      if (hasFailed || now() > until) return 'left'
      return announce(key).then(
        ({ outcome }) => outcome,
        (error: unknown) => {
          log.error({ err: error }, 'an announcement failed')
          hasFailed = true
          return 'failed' as const
        },
      )
    })
    const count = (outcome: string) => outcomes.filter((other) => other === outcome).length
    const left = outcomes.indexOf('left')
    const last = left === -1 ? page.cursor : (keys[left - 1] ?? null)
    const processed = count('processed')
    const failed = count('failed') + count('raw gone')
    return context.json({
      retried: processed + failed,
      processed,
      failed,
      ...(last === null ? {} : { cursor: last.slice(metadataPrefix('unprocessed').length) }),
    })
  })
}

function requireWebhook<Announce>(announceNow: Announce | null): Announce {
  if (announceNow === null) throw new AppError('webhook_not_configured', 'Webhook not configured')
  return announceNow
}
