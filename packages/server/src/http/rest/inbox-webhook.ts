import type { Context, Hono } from 'hono'
import { AppError } from '../../domain/errors.ts'
import { readNotice } from '../../intake/set-aside-notice.ts'
import type { TakeIn } from '../../intake/take-in.ts'
import type { Rejections } from '../../manage/rejections.ts'
import type { ApiEnvironment } from '../app.ts'
import { readJson } from '../body.ts'
import { bearerToken, secretCheck } from '../secret.ts'

/** A mail of 25 MiB announces at most 1 MiB of text and HTML each; the rest is room for other people's workers. */
const ANNOUNCEMENT_BYTES_MAX = 27 * 1024 * 1024

/** A notice has two addresses and a sentence. */
const NOTICE_BYTES_MAX = 16 * 1024

type Ports = { takeIn: TakeIn; recordRejection: Rejections['record']; secret: string | null }

export function addInboxWebhook(app: Hono<ApiEnvironment>, { takeIn, recordRejection, secret }: Ports): void {
  const isSecret = secret === null ? null : secretCheck(secret)

  function requireSecret(context: Context<ApiEnvironment>): void {
    if (isSecret === null) throw new AppError('internal', 'Webhook secret not configured')
    const token = bearerToken(context.req.header('authorization'))
    if (token === null || !isSecret(token)) throw new AppError('unauthorized', 'Unauthorized')
  }

  app.post('/webhooks/inbox', async (context) => {
    requireSecret(context)
    const { id, status } = await takeIn(
      await readJson(context.req.raw, { bytesMax: ANNOUNCEMENT_BYTES_MAX, status: 422 }),
    )
    return context.json({ ok: true, status, inboxMessageId: id })
  })

  app.post('/webhooks/inbox/set-aside', async (context) => {
    requireSecret(context)
    const body = await readJson(context.req.raw, { bytesMax: NOTICE_BYTES_MAX, status: 422 })
    const { id, from, to, reason } = readNotice(body)
    recordRejection({ from, to, code: 'set_aside', reason })
    return context.json({ ok: true, status: 'noted', inboxMessageId: id })
  })
}
