import type { Announcement } from '@mailhatch/sdk'
import { z } from 'zod'
import { splitLocalPart, tenantSubdomain } from '../domain/address.ts'
import { AppError, type ErrorDetails } from '../domain/errors.ts'
import { parseIsoTime, TIME_SCHEMAS } from '../domain/iso-time.ts'
import { withinLimits, withShortLists } from './announcement-limits.ts'

const name = z.string().transform((text) => text.trim().toLowerCase())
const requiredName = name.pipe(z.string().min(1, 'is required'))
/** In the document: something besides blanks. */
const NOT_BLANK = String.raw`\S`
const text = z.string().transform(clean)

/** What `POST /webhooks/inbox` takes. The keys after `plainContent` come from our own worker only. */
export const announcementSchema = z.object({
  event: z.literal('email.received'),
  // Any version: other workers than ours choose theirs.
  id: z
    .guid()
    .transform((id) => id.toLowerCase())
    .meta({
      description: 'Becomes the message’s id; the same id is stored once.',
      example: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
    }),
  domain: requiredName.pipe(z.string().max(255)).meta({
    description: 'Domain of the recipient.',
    pattern: String.raw`^[A-Za-z0-9.-]{1,255}$`,
    example: 'mailhatch.test',
  }),
  tenantSubdomain: name.pipe(z.string().max(255)).nullish().meta({
    description: 'What stands before the root domain; when missing, it is derived.',
    maxLength: 255,
  }),
  mailbox: requiredName
    .pipe(
      z
        .string()
        .max(64)
        .refine((mailbox) => !mailbox.includes('+'), 'must not contain a tag'),
    )
    .meta({
      description: 'The local part up to the first `+`.',
      pattern: String.raw`^[!-*,-~]{1,64}$`,
      example: 'qa',
    }),
  mailboxWithTag: requiredName.pipe(z.string().max(64)).meta({
    description: 'The local part with its tag.',
    pattern: String.raw`^[!-~]{1,64}$`,
    example: 'qa+42',
  }),
  tag: name.pipe(z.string().max(64)).nullish().meta({
    description: 'When missing, what follows the first `+` of `mailboxWithTag`.',
    maxLength: 64,
    example: '42',
  }),
  from: text
    .transform((value) => value.trim())
    .meta({
      description: 'Address of the sender; may be empty.',
      example: 'app@shop.example',
    }),
  to: text
    .transform((value) => value.trim())
    .pipe(z.string().min(1, 'is required'))
    .meta({
      description: 'The recipient.',
      pattern: NOT_BLANK,
      example: 'qa+42@mailhatch.test',
    }),
  subject: text
    .transform((value) => value.trim())
    .nullable()
    .meta({ description: 'Decoded subject.', example: 'Your code is 123456' }),
  receivedAt: z.string().meta({
    description: 'ISO 8601, UTC where no zone is given.',
    anyOf: TIME_SCHEMAS,
    example: '2026-01-31T12:00:00Z',
  }),
  headers: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .meta({ example: [{ name: 'Subject', value: 'Your code is 123456' }] }),
  rawContent: text.nullable().meta({ description: 'The HTML body.', example: '<p>Your code is 123456</p>' }),
  plainContent: text.nullable().meta({ description: 'The text body.', example: 'Your code is 123456' }),
  attachments: z
    .array(
      z.object({
        index: z.int().nonnegative(),
        filename: text.nullable(),
        contentType: text,
        size: z.int().nonnegative(),
        contentId: text.nullable(),
        inline: z.boolean(),
      }),
    )
    .optional(),
  size: z.int().nonnegative().optional(),
  envelope: z
    .object({
      mailFrom: text,
      rcptTo: text,
      helo: text.nullable(),
      remoteAddress: text.nullable(),
      tls: z.boolean(),
      receivedVia: text,
    })
    .optional(),
  parse: z.enum(['complete', 'partial', 'failed']).optional(),
})

/** An announcement as the rest of the code knows it: names normalised, what may be missing filled in. */
export type NormalAnnouncement = Omit<Announcement, 'event' | 'receivedAt'> & { receivedAt: number }

export function readAnnouncement(body: unknown, rootDomain: string): NormalAnnouncement {
  const { body: shortened, isCut } = withShortLists(body)
  const result = announcementSchema.safeParse(shortened)
  if (!result.success) {
    throw new AppError('validation_failed', 'The announcement is not valid.', {
      status: 422,
      details: detailsOf(result.error),
    })
  }
  const { event: _, ...given } = result.data
  const receivedAt = parseIsoTime(given.receivedAt)
  if (receivedAt === null) throw new AppError('received_at_invalid', 'Invalid receivedAt')
  const announcement = {
    ...given,
    receivedAt,
    headers: given.headers.map(({ name, value }) => ({ name: clean(name), value: clean(value) })),
    // Derived only where the payload leaves it out; everything else is taken as it was sent.
    tag: given.tag === undefined ? splitLocalPart(given.mailboxWithTag).tag : given.tag || null,
    tenantSubdomain:
      given.tenantSubdomain === undefined ? tenantSubdomain(given.domain, rootDomain) : given.tenantSubdomain || null,
    subject: given.subject ?? '',
    rawContent: given.rawContent ?? '',
    plainContent: given.plainContent ?? '',
  }
  return withinLimits(announcement, isCut)
}

/** What both databases and JSON can hold. */
function clean(value: string): string {
  return value.isWellFormed() && !value.includes('\0') ? value : value.replaceAll('\0', '').toWellFormed()
}

export function detailsOf(error: z.ZodError): ErrorDetails {
  const details: ErrorDetails = {}
  for (const issue of error.issues) {
    const field = issue.path.join('.') || 'body'
    details[field] = [...(details[field] ?? []), problemOf(issue)]
  }
  return details
}

/** To be read after the name of the field, as our own are. */
function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
  if (issue.code !== 'invalid_type') return issue.message
  if (issue.message.endsWith('received undefined')) return 'is required'
  return `must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
}
