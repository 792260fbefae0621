import type { WebhookDelivery, WebhookEndpoint } from '@mailhatch/sdk'
import { z } from 'zod'
import { count, id, shapeOf, text, textOrNull, time } from './shape-parts.ts'

export const webhookEndpoint = shapeOf<WebhookEndpoint>()(
  z.strictObject({
    id,
    url: text('Where events are posted to.', 'https://shop.example/hooks/mail'),
    description: textOrNull('What it is for.', 'Order mails of the staging shop'),
    secretMasked: text('The beginning and the end of the secret.', 'whsec_4Z…x9Q='),
    events: z.array(z.enum(['email.received'])).meta({ description: 'What it is told of.' }),
    mailbox: textOrNull('Only mail for the mailbox of this name; null: for all.', 'orders'),
    tag: textOrNull('Only mail with this tag; null: with any or none.', null),
    active: z.boolean().meta({ description: 'Whether it is told of new mail.' }),
    disabledReason: textOrNull('Why the server has switched it off, if it has.', null),
    createdAt: time,
    updatedAt: time,
  }),
).meta({ description: 'A URL that is told of new mail, without its secret.' })

export const webhookDelivery = shapeOf<WebhookDelivery>()(
  z.strictObject({
    id,
    event: text('What is told.', 'email.received'),
    messageId: id.nullable().meta({ description: 'The message that it is about; null for a test.' }),
    status: z.enum(['pending', 'success', 'failed']).meta({ description: 'What has become of it.' }),
    httpStatus: z.int().nullable().meta({ description: 'Status of the last answer.', example: 200 }),
    responseBody: z
      .string()
      .max(1024)
      .nullable()
      .meta({ description: 'The beginning of the last answer.', example: 'ok' }),
    latencyMs: count.nullable().meta({ description: 'Milliseconds that the last attempt took.', example: 84 }),
    attempt: count.meta({ description: 'Attempts made so far.', example: 1 }),
    nextAttemptAt: time.nullable().meta({ description: 'When it is tried again.' }),
    error: textOrNull('Why the last attempt, or the whole delivery, failed.', null),
    createdAt: time,
  }),
).meta({ description: 'One event for one endpoint, with what the last attempt brought.' })

export const webhookSecret = text(
  'Signs every delivery; shown this once.',
  'whsec_c2VjcmV0IG9mIHRoZSBleGFtcGxlLCAzMiBieXRlcw==',
)
