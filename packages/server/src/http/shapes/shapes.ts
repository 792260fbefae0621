import type {
  ApiKey,
  ErrorBody,
  IntakeAnswer,
  Mailbox,
  Me,
  MessageDetail,
  MessagePage,
  MessageSummary,
  NearMiss,
  Rejection,
} from '@mailhatch/sdk'
import { z } from 'zod'
import { count, described, id, shapeOf, text, textOrNull, time } from './shape-parts.ts'
import { webhookDelivery, webhookEndpoint } from './webhook-shapes.ts'

export const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/)
  .meta({ description: 'A position in the order in which messages became visible. Pass it as `after`.', example: 'c9' })

const summaryShape = {
  id: described(id, 'Id of the message.'),
  mailboxId: described(id, 'Id of the mailbox. A rename does not change it.'),
  mailbox: text('Name of the mailbox: the local part up to the first `+`, in lower case.', 'qa'),
  mailboxWithTag: text('The local part with its tag, in lower case.', 'qa+42'),
  tag: textOrNull('The text after the first `+` of the local part.', '42'),
  from: text('Address of the sender, without the display name.', 'app@shop.example'),
  fromName: textOrNull('Display name of the sender.', 'Shop'),
  to: text('The recipient of this copy, as the sender wrote it.', 'qa+42@mailhatch.test'),
  subject: text('Decoded subject. Empty if there is none.', 'Your code is 123456'),
  receivedAt: described(time, 'When the mail was received.'),
  cursor,
  attachmentCount: count.meta({ description: 'How many attachments the message has.', example: 1 }),
  size: count.nullable().meta({ description: 'Size of the received mail in bytes. Null if unknown.', example: 4321 }),
}

const header = z.strictObject({
  name: z.string().meta({ example: 'Subject' }),
  value: z.string().meta({ example: 'Your code is 123456' }),
})

const mailAddress = z.strictObject({
  address: z.string().meta({ example: 'ann@shop.example' }),
  name: textOrNull('Display name.', 'Ann Lee'),
})

const code = z.strictObject({
  value: text('The code without spaces.', '123456'),
  confidence: z.number().min(0).max(1).meta({ description: 'Confidence from 0 to 1.', example: 0.98 }),
  context: text('The text around the code.', 'Your code is 123456'),
})

const link = z.strictObject({
  url: z.string().meta({ example: 'https://shop.example/confirm?token=f3a1' }),
  text: text('The visible text of the link.', 'Confirm your address'),
  kind: z.enum(['verify', 'reset', 'magic', 'unsubscribe', 'other']).meta({ description: 'What the link is for.' }),
})

const attachment = z.strictObject({
  index: count.meta({ description: 'Index of the attachment in the message, for its download.' }),
  filename: z.string().nullable().meta({ example: 'invoice.pdf' }),
  contentType: z.string().meta({ example: 'application/pdf' }),
  size: count.meta({ description: 'Size in bytes after decoding.', example: 1234 }),
  contentId: textOrNull('Content-ID without the angle brackets.', null),
  inline: z.boolean().meta({ description: 'Whether the attachment is part of the message body.' }),
})

const envelope = z.strictObject({
  mailFrom: z.string().meta({ example: 'app@shop.example' }),
  rcptTo: z.string().meta({ example: 'qa+42@mailhatch.test' }),
  helo: z.string().nullable().meta({ example: 'shop.example' }),
  remoteAddress: z.string().nullable().meta({ example: '192.0.2.7' }),
  tls: z.boolean(),
  receivedVia: z.string().meta({ example: 'smtp' }),
})

const scopes = z.array(z.enum(['api.full', 'email.full', 'email.mailbox']))

export const messageSummary = shapeOf<MessageSummary>()(z.strictObject(summaryShape)).meta({
  description: 'A message as lists show it.',
})

export const messageDetail = shapeOf<MessageDetail>()(
  z.strictObject({
    ...summaryShape,
    toAll: z.array(mailAddress).meta({
      description:
        'All addresses of the To header. `to` is the recipient of this copy, who may be in Cc or in neither.',
    }),
    cc: z.array(mailAddress).meta({ description: 'All addresses of the Cc header.' }),
    replyTo: z.array(mailAddress).meta({ description: 'All addresses of the Reply-To header.' }),
    date: time.nullable().meta({ description: 'Time of the Date header. Null if it is missing or not a date.' }),
    headers: z.array(header).meta({ description: 'All headers in their original order and case, with duplicates.' }),
    htmlContent: textOrNull('The HTML body.', '<p>Your code is 123456</p>'),
    textContent: textOrNull('The text body, or text derived from the HTML body.', 'Your code is 123456'),
    domain: text('Domain of the recipient.', 'mailhatch.test'),
    tenantSubdomain: textOrNull('The subdomain below the root domain.', null),
    codes: z.array(code).meta({ description: 'One-time codes found in the message, the best candidate first.' }),
    links: z.array(link).meta({ description: 'Links found in the message.' }),
    attachments: z.array(attachment),
    envelope: envelope.nullable().meta({ description: 'SMTP envelope of the mail. Null if unknown.' }),
    timings: z.strictObject({ receivedAt: time, storedAt: time }),
    parse: z.enum(['complete', 'partial', 'failed']).meta({
      description: '`partial`: a limit cut off some content. `failed`: only the raw mail is available.',
    }),
  }),
).meta({ description: 'A message with its content.' })

const nearMiss = shapeOf<NearMiss>()(
  z.strictObject({
    ...summaryShape,
    failed: z
      .array(z.string())
      .meta({ description: 'The parameters that this message does not match.', example: ['subject'] }),
  }),
).meta({ description: 'A message that arrived but does not match all filters.' })

export const mailbox = shapeOf<Mailbox>()(
  z.strictObject({
    id: described(id, 'Id of the mailbox. A rename does not change it.'),
    name: text('The part before the `@`.', 'qa'),
    domain: z.string().meta({ example: 'mailhatch.test' }),
    address: text('Address of the mailbox.', 'qa@mailhatch.test'),
    createdAt: time,
    updatedAt: time,
  }),
).meta({ description: 'A mailbox stores the messages for one name.' })

export const apiKey = shapeOf<ApiKey>()(
  z.strictObject({
    id,
    name: z.string().meta({ example: 'ci' }),
    keyMasked: text('The first 6 and last 4 characters of the key.', 'mh_4Zk…x9Qa'),
    scopes,
    mailboxName: textOrNull('The mailbox to which the key is bound. Null if the key is not bound.', null),
    expiresAt: time.nullable().meta({ description: 'When the key expires. Null if it does not.' }),
  }),
).meta({ description: 'An API key without its secret value.' })

export const me = shapeOf<Me>()(
  z.strictObject({
    team: z.strictObject({
      id,
      name: z.string().meta({ example: 'Shop' }),
      plan: z.string().meta({ example: 'pro' }),
      retentionDays: count
        .nullable()
        .meta({ description: 'How many days messages are kept. Null if they are kept until they are deleted.' }),
      domain: text('Domain of the team’s mailboxes.', 'mailhatch.test'),
    }),
    key: z.strictObject({
      id,
      name: z.string().meta({ example: 'ci' }),
      scopes,
      mailbox: textOrNull('The mailbox to which the key is bound. Null if the key is not bound.', null),
    }),
    messageCount: count.meta({ description: 'Number of messages that this key can see.' }),
    cursor,
  }),
).meta({ description: 'The team and key of the caller, and the newest cursor.' })

export const rejection = shapeOf<Rejection>()(
  z.strictObject({
    at: time,
    from: text('The sender as given. Empty for bounces.', 'app@shop.example'),
    to: text(
      'The recipient as given. Empty if the mail was rejected before the sender named one.',
      'typo@mailhatch.test',
    ),
    code: text('An error code of this API, or the status of the SMTP reply.', 'mailbox_unknown'),
    reason: text('Human-readable reason for the rejection.', 'Mailbox not configured'),
  }),
).meta({ description: 'A mail that was rejected.' })

const errorBody = shapeOf<ErrorBody>()(
  z.strictObject({
    error: text('Human-readable error message.', 'No messages found'),
    code: text('Stable error code for programs.', 'message_not_found'),
    requestId: text('Same as the header `X-Request-Id`. The server’s log contains it too.', 'q3JzX1f8-1c'),
    details: z.record(z.string(), z.array(z.string())).optional().meta({ description: 'The problems by field name.' }),
    cursor: cursor.optional(),
    arrived: z.array(nearMiss).optional().meta({
      description:
        'Up to 20 messages that did arrive, closest match first. Present when a wait times out or with `explain=1`.',
    }),
    refused: z.array(rejection).optional().meta({
      description:
        'Mail of the last 5 minutes that was refused, for similar addresses if there is any. Present with `arrived` if the key has `api.full`.',
    }),
  }),
).meta({ description: 'The body of every error response.' })

export const messagePage = shapeOf<MessagePage>()(
  z.strictObject({
    data: z.array(messageSummary),
    has_more: z.boolean().meta({ description: 'Whether more messages match than the page contains.' }),
    cursor: cursor.meta({
      description: 'The position up to which the list is complete. Pass it as `after` to continue.',
    }),
  }),
).meta({ description: 'Messages, newest first.' })

export const intakeAnswer = shapeOf<IntakeAnswer>()(
  z.strictObject({ ok: z.literal(true), status: z.enum(['stored', 'duplicate']), inboxMessageId: id }),
).meta({
  description: 'The result of an announcement. A message is stored once, even if it is announced several times.',
})

/** The named schemas of the OpenAPI document. */
export const SHAPES = {
  MessageSummary: messageSummary,
  MessageDetail: messageDetail,
  MessagePage: messagePage,
  NearMiss: nearMiss,
  Mailbox: mailbox,
  ApiKey: apiKey,
  Me: me,
  Rejection: rejection,
  WebhookEndpoint: webhookEndpoint,
  WebhookDelivery: webhookDelivery,
  IntakeAnswer: intakeAnswer,
  Error: errorBody,
} satisfies Record<string, z.ZodType>

/** The id of a deleted resource. */
export const removed = z.strictObject({ id })
