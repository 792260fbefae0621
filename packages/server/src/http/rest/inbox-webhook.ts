import type { Hono } from 'hono'
import { AppError } from '../../domain/errors.ts'
import type { TakeIn } from '../../intake/take-in.ts'
import type { ApiEnvironment } from '../app.ts'
import { readJson } from '../body.ts'
import { bearerToken, secretCheck } from '../secret.ts'

/** A mail of 25 MiB announces at most 1 MiB of text and HTML each; the rest is room for other people's workers. */
const ANNOUNCEMENT_BYTES_MAX = 27 * 1024 * 1024

type Ports = { takeIn: TakeIn; secret: string | null }

export function addInboxWebhook(app: Hono<ApiEnvironment>, { takeIn, secret }: Ports): void {
  const isSecret = secret === null ? null : secretCheck(secret)

  app.post('/webhooks/inbox', async (context) => {
    if (isSecret === null) throw new AppError('internal', 'Webhook secret not configured')
    const token = bearerToken(context.req.header('authorization'))
    if (token === null || !isSecret(token)) throw new AppError('unauthorized', 'Unauthorized')
    const { id, status } = await takeIn(
      await readJson(context.req.raw, { bytesMax: ANNOUNCEMENT_BYTES_MAX, status: 422 }),
    )
    return context.json({ ok: true, status, inboxMessageId: id })
  })
}
