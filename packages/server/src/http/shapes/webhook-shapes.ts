import type { WebhookDelivery, WebhookEndpoint } from '@mailhatch/sdk'
import { z } from 'zod'
import { count, id, shapeOf, text, textOrNull, time } from './shape-parts.ts'

export const webhookEndpoint = shapeOf<WebhookEndpoint>()(
  z.strictObject({
    id,
    url: text('Where events are posted.', 'https://shop.example/hooks/mail'),
    description: textOrNull('What the endpoint is for.', 'Order mail of the staging shop'),
    secretMasked: text('The first and last characters of the secret.', 'whsec_4Z…x9Q='),
    events: z.array(z.enum(['email.received'])).meta({ description: 'The events that the endpoint receives.' }),
    mailbox: textOrNull('Only mail for the mailbox with this name. Null for all mailboxes.', 'orders'),
    tag: textOrNull('Only mail with this tag. Null for any tag or none.', null),
    active: z.boolean().meta({ description: 'Whether the endpoint receives events.' }),
    disabledReason: textOrNull('Why the server disabled the endpoint. Null if it did not.', null),
    createdAt: time,
    updatedAt: time,
  }),
).meta({ description: 'A URL that receives an event for each new message. Shown without its secret.' })

export const webhookDelivery = shapeOf<WebhookDelivery>()(
  z.strictObject({
    id,
    event: text('The type of the event.', 'email.received'),
    messageId: id.nullable().meta({ description: 'The message of the event. Null for a test.' }),
    status: z.enum(['pending', 'success', 'failed']).meta({ description: 'The state of the delivery.' }),
    httpStatus: z.int().nullable().meta({ description: 'HTTP status of the last response.', example: 200 }),
    responseBody: z
      .string()
      .max(1024)
      .nullable()
      .meta({ description: 'The beginning of the last response body.', example: 'ok' }),
    latencyMs: count.nullable().meta({ description: 'Duration of the last attempt in milliseconds.', example: 84 }),
    attempt: count.meta({ description: 'Number of attempts so far.', example: 1 }),
    nextAttemptAt: time.nullable().meta({ description: 'When the next attempt is due. Null if there is none.' }),
    error: textOrNull('Why the last attempt, or the whole delivery, failed.', null),
    createdAt: time,
  }),
).meta({ description: 'One event for one endpoint, with the result of the last attempt.' })

export const webhookSecret = text(
  'Signs every delivery. Shown only once.',
  'whsec_c2VjcmV0IG9mIHRoZSBleGFtcGxlLCAzMiBieXRlcw==',
)
