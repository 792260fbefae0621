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
  .meta({ description: 'A place in the order in which messages became visible; give it as `after`.', example: 'c9' })

const summaryShape = {
  id: described(id, 'The message’s own id.'),
  mailboxId: described(id, 'Id of the mailbox, which stays when the mailbox is renamed.'),
  mailbox: text('Name of the mailbox: the local part up to the first `+`, in lower case.', 'qa'),
  mailboxWithTag: text('The local part with its tag, in lower case.', 'qa+42'),
  tag: textOrNull('What follows the first `+` of the local part.', '42'),
  from: text('Address of the sender, without the display name.', 'app@shop.example'),
  fromName: textOrNull('Display name of the sender.', 'Shop'),
  to: text('The recipient that this copy was sent to, as it was written.', 'qa+42@mailhatch.test'),
  subject: text('Decoded subject; empty when there is none.', 'Your code is 123456'),
  receivedAt: described(time, 'When the mail came in.'),
  cursor,
  attachmentCount: count.meta({ description: 'How many attachments the message has.', example: 1 }),
  size: count
    .nullable()
    .meta({ description: 'Bytes of the mail as it was received, where that is known.', example: 4321 }),
}

const header = z.strictObject({
  name: z.string().meta({ example: 'Subject' }),
  value: z.string().meta({ example: 'Your code is 123456' }),
})

const code = z.strictObject({
  value: text('The code without spaces.', '123456'),
  confidence: z.number().min(0).max(1).meta({ description: 'How sure we are, from 0 to 1.', example: 0.98 }),
  context: text('The words around it.', 'Your code is 123456'),
})

const link = z.strictObject({
  url: z.string().meta({ example: 'https://shop.example/confirm?token=f3a1' }),
  text: text('What the reader sees.', 'Confirm your address'),
  kind: z.enum(['verify', 'reset', 'magic', 'unsubscribe', 'other']).meta({ description: 'What the link is for.' }),
})

const attachment = z.strictObject({
  index: count.meta({ description: 'Its place in the message, to download it by.' }),
  filename: z.string().nullable().meta({ example: 'invoice.pdf' }),
  contentType: z.string().meta({ example: 'application/pdf' }),
  size: count.meta({ description: 'Bytes after decoding.', example: 1234 }),
  contentId: textOrNull('Content-ID without the angle brackets.', null),
  inline: z.boolean().meta({ description: 'Whether it is meant to be shown within the message.' }),
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

const messageSummary = shapeOf<MessageSummary>()(z.strictObject(summaryShape)).meta({
  description: 'A message as lists show it.',
})

export const messageDetail = shapeOf<MessageDetail>()(
  z.strictObject({
    ...summaryShape,
    headers: z.array(header).meta({ description: 'In their original order and case, with duplicates.' }),
    htmlContent: textOrNull('The HTML body.', '<p>Your code is 123456</p>'),
    textContent: textOrNull('The text body, or text made from the HTML.', 'Your code is 123456'),
    domain: text('Domain that the mail was sent to.', 'mailhatch.test'),
    tenantSubdomain: textOrNull('What stands before the root domain.', null),
    codes: z.array(code).meta({ description: 'One-time codes found in the message, the best candidate first.' }),
    links: z.array(link).meta({ description: 'Links found in the message.' }),
    attachments: z.array(attachment),
    envelope: envelope.nullable().meta({ description: 'How the mail came in, where that is known.' }),
    timings: z.strictObject({ receivedAt: time, storedAt: time }),
    parse: z.enum(['complete', 'partial', 'failed']).meta({
      description: '`partial`: a limit cut something off; `failed`: only the raw bytes are to be had.',
    }),
  }),
).meta({ description: 'A whole message.' })

const nearMiss = shapeOf<NearMiss>()(
  z.strictObject({
    ...summaryShape,
    failed: z
      .array(z.string())
      .meta({ description: 'The parameters that this message did not meet.', example: ['subject'] }),
  }),
).meta({ description: 'A message that arrived, but was not the one asked for.' })

export const mailbox = shapeOf<Mailbox>()(
  z.strictObject({
    id: described(id, 'The mailbox’s own id, which stays when it is renamed.'),
    name: text('The part before the `@`.', 'qa'),
    domain: z.string().meta({ example: 'mailhatch.test' }),
    address: text('Where to send mail to.', 'qa@mailhatch.test'),
    createdAt: time,
    updatedAt: time,
  }),
).meta({ description: 'Where mail for one name is kept.' })

export const apiKey = shapeOf<ApiKey>()(
  z.strictObject({
    id,
    name: z.string().meta({ example: 'ci' }),
    keyMasked: text('The first 6 and last 4 characters of the key.', 'mh_4Zk…x9Qa'),
    scopes,
    mailboxName: textOrNull('The only mailbox that it may see.', null),
    expiresAt: time.nullable().meta({ description: 'When it stops working.' }),
  }),
).meta({ description: 'An API key, without the key.' })

export const me = shapeOf<Me>()(
  z.strictObject({
    team: z.strictObject({
      id,
      name: z.string().meta({ example: 'Shop' }),
      plan: z.string().meta({ example: 'pro' }),
      retentionDays: count
        .nullable()
        .meta({ description: 'How long messages are kept; null: until they are deleted.' }),
      domain: text('Domain of the team’s mailboxes.', 'mailhatch.test'),
    }),
    key: z.strictObject({
      id,
      name: z.string().meta({ example: 'ci' }),
      scopes,
      mailbox: textOrNull('The only mailbox it may see.', null),
    }),
    messageCount: count.meta({ description: 'Messages that this key can see.' }),
    cursor,
  }),
).meta({ description: 'Who the key belongs to, and the newest cursor.' })

const errorBody = shapeOf<ErrorBody>()(
  z.strictObject({
    error: text('What went wrong, for people.', 'No messages found'),
    code: text('What went wrong, for programs. Codes are stable.', 'message_not_found'),
    requestId: text('Equals the header `X-Request-Id`; the server’s log has it too.', 'q3JzX1f8-1c'),
    details: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({ description: 'What is wrong with each field, by its name.' }),
    cursor: cursor.optional(),
    arrived: z.array(nearMiss).optional().meta({
      description: 'What did arrive, when a wait runs out or `explain=1` was given: what failed least first, up to 20.',
    }),
  }),
).meta({ description: 'Every failure has this shape.' })

export const messagePage = shapeOf<MessagePage>()(
  z.strictObject({
    data: z.array(messageSummary),
    has_more: z.boolean().meta({ description: 'Whether more messages match than are shown.' }),
    cursor: cursor.meta({ description: 'The place up to which nothing is missing; give it as `after` to go on.' }),
  }),
).meta({ description: 'Messages, newest first.' })

export const rejection = shapeOf<Rejection>()(
  z.strictObject({
    at: time,
    from: text('The sender as given; empty for bounces.', 'app@shop.example'),
    to: text('The recipient as given; empty for mail that was refused before one was named.', 'typo@mailhatch.test'),
    code: text('An error code of this API, or the status of an SMTP reply.', 'mailbox_unknown'),
    reason: text('Why, for people.', 'Mailbox not configured'),
  }),
).meta({ description: 'Mail that was refused.' })

export const intakeAnswer = shapeOf<IntakeAnswer>()(
  z.strictObject({ ok: z.literal(true), status: z.enum(['stored', 'duplicate']), inboxMessageId: id }),
).meta({ description: 'A message is stored once, however often it is announced.' })

/** The shapes that have a name in the document. */
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

/** What is left of what was deleted. */
export const removed = z.strictObject({ id })
