import type { Hono } from 'hono'
import { readText } from '../body-text.ts'
import { AppError } from '../domain/errors.ts'
import type { Billing } from '../manage/billing.ts'
import type { ApiEnvironment } from './environment.ts'
import { BODY_BYTES_MAX } from './body.ts'

/** Receives the events of the payment provider. */
export function addBillingWebhook(app: Hono<ApiEnvironment>, { billing }: { billing: Billing | null }): void {
  app.post('/billing/webhook', async (context) => {
    if (!billing) throw new AppError('billing_unavailable', 'Billing is not set up on this server.')
    const body = await readText(context.req.raw, BODY_BYTES_MAX)
    await billing.take(body, context.req.header('stripe-signature') ?? null)
    return context.json({ received: true })
  })
}
