import { z } from 'zod'
import { parseDomain, splitLocalPart } from '../domain/address.ts'
import { CURSOR_PATTERN, parseCursor } from '../domain/cursor.ts'
import { AppError } from '../domain/errors.ts'
import { fold, lowerAscii } from '../domain/fold.ts'
import { DAY_PATTERN, parseIsoDay, parseIsoTime, SINCE_PATTERN } from '../domain/iso-time.ts'
import type { MessageFilter, Needle } from '../domain/match.ts'
import { isAtMost } from '../domain/text-patterns.ts'
import { refuse } from './query.ts'
import {
  HEADER_FILTER_PATTERN,
  MAILBOX_FILTER_PATTERN,
  TAG_PATTERN,
  TEXT_PATTERN,
  textOfAtMost,
} from './value-patterns.ts'

const DAY_MS = 86_400_000
const LOCAL_PART_MAX = 64
const DOMAIN_MAX = 255
// eslint-disable-next-line no-control-regex -- controls are what it refuses
const IMPOSSIBLE = /[\s\x00-\x1f\x7f"<>()[\],;:\\]/
export const WAIT_SECONDS_MAX = 60
const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
/** Bounds the cost of a search, because a filter may be compared with every message. */
const FILTER_CHARACTERS_MAX = 1_000
const TAGS_MAX = 100

const anyText = textOfAtMost(FILTER_CHARACTERS_MAX)
const FILTER_TEXT = { pattern: TEXT_PATTERN, maxLength: FILTER_CHARACTERS_MAX }
// Comparisons ignore NUL, so a filter of nothing but NUL would match everything.
const text = anyText.refine((value) => !value.includes('\0'), 'must not contain NUL')
const tag = text.transform((value) => value.trim().toLowerCase())

function read<Value>(parse: (value: string) => Value | null, expectation: string, given = text) {
  return given.transform((value, context) => {
    const parsed = parse(value)
    if (parsed !== null) return parsed
    context.addIssue({ code: 'custom', message: expectation })
    return z.NEVER
  })
}

/** A number of seconds, read as milliseconds. */
export function secondsUpTo(maximum: number, description: string, example: number) {
  return read((value) => parseMs(value, maximum), `must be a number of seconds from 0 to ${maximum}`)
    .optional()
    .meta({ description, type: 'number', minimum: 0, maximum, example })
}

const filterShape = {
  // Accepts NUL at first, so that it gets the same error as any other invalid name.
  mailbox: read(parseMailbox, 'Invalid mailbox', anyText).optional().meta({
    description:
      '`qa`, `qa+tag` or a full address, case-insensitive. Also any other name that a mailbox of the team has.',
    pattern: MAILBOX_FILTER_PATTERN,
    maxLength: FILTER_CHARACTERS_MAX,
    example: 'qa+42',
  }),
  tag: tag.optional().meta({ description: 'Has this tag, case-insensitive.', ...FILTER_TEXT, example: '42' }),
  tags: z
    .array(text)
    .transform((values) => values.flatMap((value) => value.split(',')))
    .refine((tags) => tags.length <= TAGS_MAX, `must be at most ${TAGS_MAX} tags`)
    .transform(givenTags)
    .optional()
    .meta({
      description: `Has one of these tags: comma-separated or as a repeated parameter, at most ${TAGS_MAX}.`,
      items: { type: 'string', pattern: TAG_PATTERN, maxLength: FILTER_CHARACTERS_MAX },
      maxItems: TAGS_MAX,
      example: ['42', '43'],
    }),
  to: text
    .transform(addressNeedle)
    .optional()
    .meta({
      description: 'Part of the recipient, case-insensitive.',
      ...FILTER_TEXT,
      example: 'qa+42@',
    }),
  from: text
    .transform(addressNeedle)
    .optional()
    .meta({
      description: 'Part of the sender’s address or name, case-insensitive.',
      ...FILTER_TEXT,
      example: '@shop.example',
    }),
  q: text
    .transform(addressNeedle)
    .optional()
    .meta({
      description: 'Part of the subject, sender, recipient or text, case-insensitive.',
      ...FILTER_TEXT,
      example: 'invoice',
    }),
  subject: text
    .transform((value) => [fold(value)])
    .optional()
    .meta({
      description: 'Part of the subject, case-insensitive.',
      ...FILTER_TEXT,
      example: 'Your code',
    }),
  text: text
    .transform((value) => [fold(value)])
    .optional()
    .meta({
      description: 'Part of the body, case-insensitive.',
      ...FILTER_TEXT,
      example: 'expires in 10 minutes',
    }),
  header: read(parseHeader, 'must have the form Name:value').optional().meta({
    description: '`Name:value`. Has this header with exactly this value.',
    pattern: HEADER_FILTER_PATTERN,
    maxLength: FILTER_CHARACTERS_MAX,
    example: 'X-Test-Run:42',
  }),
  start: read(parseIsoDay, 'must be a date such as 2026-01-31').optional().meta({
    description: 'Received on or after this UTC day. Must not be after `end`.',
    pattern: DAY_PATTERN,
    maxLength: FILTER_CHARACTERS_MAX,
    example: '2026-01-01',
  }),
  end: read(parseIsoDay, 'must be a date such as 2026-01-31').optional().meta({
    description: 'Received on or before this UTC day.',
    pattern: DAY_PATTERN,
    maxLength: FILTER_CHARACTERS_MAX,
    example: '2026-01-31',
  }),
  since: read(parseSince, 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z').optional().meta({
    description: 'Received at or after this ISO 8601 time. UTC if it has no time zone.',
    pattern: SINCE_PATTERN,
    maxLength: FILTER_CHARACTERS_MAX,
    example: '2026-01-31T12:00:00Z',
  }),
}

const readingShape = {
  after: read(parseCursor, 'is not a cursor').optional().meta({
    description: 'A cursor. Only messages that became visible after it.',
    pattern: CURSOR_PATTERN,
    example: 'c9',
  }),
  wait: secondsUpTo(
    WAIT_SECONDS_MAX,
    'How many seconds to hold the response until a message matches. Decimals are allowed.',
    25,
  ),
  explain: z.enum(['0', '1'], 'must be 0 or 1').optional().meta({
    description: '`1` adds the messages that did arrive to the response if none matches.',
    example: '1',
  }),
}

/** Query parameters of `GET /v1/messages/latest`. */
export const latestQuery = z.object({ ...filterShape, ...readingShape })

/** Query parameters of `GET /v1/messages/stream`. */
export const streamQuery = z.object({ ...filterShape, after: readingShape.after })

/** Query parameters of `GET /v1/messages`. */
export const listQuery = latestQuery.omit({ explain: true }).extend({
  limit: read(parseLimit, `must be a whole number from 1 to ${LIMIT_MAX}`)
    .optional()
    .meta({
      description: `How many results to return, ${LIMIT_DEFAULT} by default.`,
      type: 'integer',
      minimum: 1,
      maximum: LIMIT_MAX,
      example: 20,
    }),
  after_id: text
    .toLowerCase()
    .optional()
    .meta({
      description: 'Id of an existing message. Returns the page after it. Cannot be combined with `after`.',
      format: 'uuid',
      ...FILTER_TEXT,
      example: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
    }),
})

/** Query parameters of `GET /v1/messages/count`. */
export const countQuery = streamQuery

/** Query parameters of `DELETE /v1/messages`. */
export const removalQuery = z.object({ ...filterShape, after: readingShape.after })

/** Query parameters of `GET /v1/mailboxes`. */
export const mailboxesQuery = z.object({ mailbox: filterShape.mailbox })

/** Query parameters of `GET /v1/rejections`. */
export const rejectionsQuery = z.object({ since: filterShape.since, limit: listQuery.shape.limit })

export type LatestParams = { filter: MessageFilter; after: number | null; waitMs: number; explain: boolean }
export type ListParams = Omit<LatestParams, 'explain'> & { limit: number; afterId: string | null }

export type StreamParams = Pick<LatestParams, 'filter' | 'after'>

export function toLatestParams({ after, wait, explain, ...filter }: z.output<typeof latestQuery>): LatestParams {
  return { filter: toFilter(filter), after: after ?? null, waitMs: wait ?? 0, explain: explain === '1' }
}

export function toListParams(given: z.output<typeof listQuery>): ListParams {
  const { after, wait, limit, after_id, ...filter } = given
  if (after !== undefined && after_id !== undefined) refuse({ after_id: ['cannot be combined with after'] })
  return {
    filter: toFilter(filter),
    after: after ?? null,
    waitMs: wait ?? 0,
    limit: limit ?? LIMIT_DEFAULT,
    afterId: after_id ?? null,
  }
}

/** Parameters that do not limit a deletion. If they were ignored, more messages than intended would be deleted. */
const NOT_FOR_REMOVAL = ['limit', 'after_id', 'wait', 'explain']

export function toRemovalParams(
  { after, ...filter }: z.output<typeof removalQuery>,
  search: URLSearchParams,
): Pick<LatestParams, 'filter' | 'after'> {
  for (const name of NOT_FOR_REMOVAL) if (search.get(name)) refuse({ [name]: ['cannot be used here'] })
  if (after === undefined && Object.values(filter).every((value) => value === undefined)) {
    throw new AppError('validation_failed', 'Pass at least one filter. Without one, every message would be deleted.')
  }
  return { filter: toFilter(filter), after: after ?? null }
}

export function toRejectionsParams({ since = 0, limit = LIMIT_DEFAULT }: z.output<typeof rejectionsQuery>) {
  return { since, limit }
}

/** Undefined if the header is missing or empty. */
export function readLastEventId(text: string | undefined): number | undefined {
  const resumed = text ? parseCursor(text) : undefined
  if (resumed === null) refuse({ 'Last-Event-ID': ['is not a cursor'] })
  return resumed
}

/** A client that reconnects sends both positions. `resumed`, where its stream broke off, is newer than `after`. */
export function toStreamParams({ after, ...filter }: z.output<typeof streamQuery>, resumed?: number): StreamParams {
  return { filter: toFilter(filter), after: resumed ?? after ?? null }
}

function toFilter(given: z.output<z.ZodObject<typeof filterShape>>): MessageFilter {
  const { start, end } = given
  if (start !== undefined && end !== undefined && start > end) refuse({ start: ['must not be after end'] })
  // Both days are inclusive.
  return end === undefined ? given : { ...given, end: end + DAY_MS }
}

/** Parses `qa`, `qa+tag` or a full address. An unescaped `+` arrives as a space, so one inner space counts as `+`. */
export function parseMailbox(value: string): NonNullable<MessageFilter['mailbox']> | null {
  const given = value.trim()
  if (given.split(' ').length > 2) return null
  const name = given.replace(' ', '+')
  const at = name.lastIndexOf('@')
  const localPart = at < 0 ? name : name.slice(0, at)
  const domain = at < 0 ? null : name.slice(at + 1)
  const { mailbox, tag } = splitLocalPart(localPart)
  if (IMPOSSIBLE.test(name) || localPart.includes('@') || mailbox === '') return null
  if (!isAtMost(localPart, LOCAL_PART_MAX) || domain === '' || !isAtMost(domain ?? '', DOMAIN_MAX)) return null
  // An invalid domain is not an error: it matches no mail, like any other unknown domain.
  return { name: mailbox, tag, domain: domain === null ? null : (parseDomain(domain) ?? domain.toLowerCase()) }
}

function givenTags(tags: string[]): string[] | undefined {
  const given = tags.map((value) => value.trim().toLowerCase()).filter((value) => value !== '')
  return given.length > 0 ? given : undefined
}

/** In an address, spaces before the `@` may be unescaped plus signs. */
function addressNeedle(value: string): Needle {
  const at = value.indexOf('@')
  const localPart = value.slice(0, Math.max(at, 0))
  if (!localPart.includes(' ') || /[<",]/.test(localPart)) return [fold(value)]
  return [fold(value), fold(localPart.replaceAll(' ', '+') + value.slice(at))]
}

function parseHeader(value: string): MessageFilter['header'] | null {
  const colon = value.indexOf(':')
  return colon < 1 ? null : { name: lowerAscii(value.slice(0, colon).trim()), value: value.slice(colon + 1).trim() }
}

/** `…T12:00:00 02:00` is `+02:00` with an unescaped plus sign. */
function parseSince(value: string): number | null {
  return parseIsoTime(value.trim().replace(/^(.*T.*) (\d{2}:?\d{2})$/i, '$1+$2'))
}

/** Numbers as programs print them, with an exponent if they are very small. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i

function parseMs(value: string, secondsMax: number): number | null {
  const seconds = NUMBER.test(value) ? Number(value) : Infinity
  return seconds >= 0 && seconds <= secondsMax ? seconds * 1000 : null
}

function parseLimit(value: string): number | null {
  const limit = /^\d+$/.test(value) ? Number(value) : 0
  return limit >= 1 && limit <= LIMIT_MAX ? limit : null
}
