import { z } from 'zod'
import { splitLocalPart, tenantSubdomain } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { parseIsoTime, TIME_PATTERN } from '../domain/iso-time.ts'
import { BLANKS, isAtMost, trimmedPattern } from '../domain/text-patterns.ts'
import { withinLimits, withShortLists } from './announcement-limits.ts'
import type { NormalAnnouncement } from './normal-announcement.ts'
import { detailsOf } from './schema-problems.ts'

// The limits of RFC 5321, counted in characters: other workers may encode names differently.
const LOCAL_PART_MAX = 64
const DOMAIN_MAX = 255

const ANY = String.raw`[^\u0000]`
const NOT_BLANK = String.raw`[^\u0000${BLANKS}]`

/** Trimmed and lower case. NUL cannot occur in mail addresses, and PostgreSQL cannot store it. */
function nameOf(charactersMax: number) {
  return z
    .string()
    .trim()
    .refine((text) => !text.includes('\0'), 'must not contain NUL')
    .refine((text) => isAtMost(text, charactersMax), `must have at most ${charactersMax} characters`)
    .transform((text) => text.toWellFormed().toLowerCase())
}

function requiredNameOf(charactersMax: number) {
  return nameOf(charactersMax).refine((text) => text !== '', 'is required')
}

/** For the OpenAPI document: a non-empty name without certain characters. */
function namePattern(charactersMax: number, excluded = ''): string {
  const end = `[^\\u0000${BLANKS}${excluded}]`
  return trimmedPattern(`${end}(?:[^\\u0000${excluded}]{0,${charactersMax - 2}}${end})?`)
}

const text = z.string().transform(clean)

/** The body of `POST /webhooks/inbox`. Only our own worker sends the keys after `plainContent`. */
export const announcementSchema = z.object({
  event: z.literal('email.received'),
  // Any UUID version: other workers choose their own.
  id: z
    .guid()
    .transform((id) => id.toLowerCase())
    .meta({
      description: 'Becomes the message’s id; the same id is stored once.',
      example: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
    }),
  domain: requiredNameOf(DOMAIN_MAX).meta({
    description: 'Domain of the recipient.',
    pattern: namePattern(DOMAIN_MAX),
    example: 'mailhatch.test',
  }),
  tenantSubdomain: nameOf(DOMAIN_MAX)
    .nullish()
    .meta({
      description: 'The labels before the root domain. Derived from `domain` if missing.',
      pattern: trimmedPattern(`${ANY}{0,${DOMAIN_MAX}}`),
    }),
  mailbox: requiredNameOf(LOCAL_PART_MAX)
    .refine((mailbox) => !mailbox.includes('+'), 'must not contain a tag')
    .meta({
      description: 'The local part up to the first `+`.',
      pattern: namePattern(LOCAL_PART_MAX, '+'),
      example: 'qa',
    }),
  mailboxWithTag: requiredNameOf(LOCAL_PART_MAX).meta({
    description: 'The local part with its tag.',
    pattern: namePattern(LOCAL_PART_MAX),
    example: 'qa+42',
  }),
  tag: nameOf(LOCAL_PART_MAX)
    .nullish()
    .meta({
      description: 'If missing, the part after the first `+` of `mailboxWithTag`.',
      pattern: trimmedPattern(`${ANY}{0,${LOCAL_PART_MAX}}`),
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
    description: 'ISO 8601; UTC if no time zone is given.',
    pattern: TIME_PATTERN,
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
      username: text.optional(),
    })
    .optional(),
  parse: z.enum(['complete', 'partial', 'failed']).optional(),
})

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
    // Derived only if the payload omits it.
    tag: given.tag === undefined ? splitLocalPart(given.mailboxWithTag).tag : given.tag || null,
    tenantSubdomain:
      given.tenantSubdomain === undefined ? tenantSubdomain(given.domain, rootDomain) : given.tenantSubdomain || null,
    subject: given.subject ?? '',
    rawContent: given.rawContent ?? '',
    plainContent: given.plainContent ?? '',
  }
  return withinLimits(announcement, isCut)
}

/** Removes what PostgreSQL or JSON cannot represent. */
function clean(value: string): string {
  return value.isWellFormed() && !value.includes('\0') ? value : value.replaceAll('\0', '').toWellFormed()
}
