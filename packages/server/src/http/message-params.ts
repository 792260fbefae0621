import { z } from 'zod'
import { parseRecipient, splitLocalPart } from '../domain/address.ts'
import { parseCursor } from '../domain/cursor.ts'
import { AppError, type ErrorDetails } from '../domain/errors.ts'
import { fold, lowerAscii } from '../domain/fold.ts'
import { parseIsoDay, parseIsoTime } from '../domain/iso-time.ts'
import type { MessageFilter, Needle } from '../domain/match.ts'

const DAY_MS = 86_400_000
const LOCAL_PART_MAX = 64
const WAIT_SECONDS_MAX = 60
const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
/** Longer filters find nothing that shorter ones would not, and each is searched for in every message. */
const FILTER_CHARACTERS_MAX = 1_000
const TAGS_MAX = 100

const text = z.string().max(FILTER_CHARACTERS_MAX, `must be at most ${FILTER_CHARACTERS_MAX} characters`)
const tag = text.transform((value) => value.trim().toLowerCase())

function read<Value>(parse: (value: string) => Value | null, expectation: string) {
  return text.transform((value, context) => {
    const parsed = parse(value)
    if (parsed !== null) return parsed
    context.addIssue({ code: 'custom', message: expectation })
    return z.NEVER
  })
}

const filterShape = {
  mailbox: read(parseMailbox, 'Invalid mailbox').optional(),
  tag: tag.optional(),
  tags: z.array(text).transform(splitTags).optional(),
  to: text.transform(addressNeedle).optional(),
  from: text.transform(addressNeedle).optional(),
  q: text.transform(addressNeedle).optional(),
  subject: text.transform((value) => [fold(value)]).optional(),
  text: text.transform((value) => [fold(value)]).optional(),
  header: read(parseHeader, 'must have the form Name:value').optional(),
  start: read(parseIsoDay, 'must be a date such as 2026-01-31').optional(),
  end: read(parseIsoDay, 'must be a date such as 2026-01-31').optional(),
  since: read(parseSince, 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z').optional(),
}

const readingShape = {
  after: read(parseCursor, 'is not a cursor').optional(),
  wait: read(parseWaitMs, `must be a number of seconds from 0 to ${WAIT_SECONDS_MAX}`).optional(),
  explain: z.enum(['0', '1'], 'must be 0 or 1').optional(),
}

/** Query parameters of `GET /v1/messages/latest`. */
export const latestQuery = z.object({ ...filterShape, ...readingShape })

/** Query parameters of `GET /v1/messages`. */
export const listQuery = latestQuery.extend({
  limit: read(parseLimit, `must be a whole number from 1 to ${LIMIT_MAX}`).optional(),
  after_id: text.optional(),
})

export type LatestParams = { filter: MessageFilter; after: number | null; waitMs: number; explain: boolean }
export type ListParams = Omit<LatestParams, 'explain'> & { limit: number; afterId: string | null }

export function readLatestParams(query: URLSearchParams): LatestParams {
  const { after, wait, explain, ...filter } = parseQuery(latestQuery, query)
  return { filter: toFilter(filter), after: after ?? null, waitMs: wait ?? 0, explain: explain === '1' }
}

export function readListParams(query: URLSearchParams): ListParams {
  const { after, wait, explain: _, limit, after_id, ...filter } = parseQuery(listQuery, query)
  if (after !== undefined && after_id !== undefined) refuse({ after_id: ['cannot be combined with after'] })
  return {
    filter: toFilter(filter),
    after: after ?? null,
    waitMs: wait ?? 0,
    limit: limit ?? LIMIT_DEFAULT,
    afterId: after_id ?? null,
  }
}

function toFilter(given: z.output<z.ZodObject<typeof filterShape>>): MessageFilter {
  const { start, end } = given
  if (start !== undefined && end !== undefined && start > end) refuse({ start: ['must not be after end'] })
  // Both days are inclusive.
  return end === undefined ? given : { ...given, end: end + DAY_MS }
}

/** An empty value counts as not given, an unknown name is ignored, a single value given twice is refused. */
function parseQuery<Schema extends z.ZodObject>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  const given: Record<string, string | string[]> = {}
  const details: ErrorDetails = {}
  for (const [name, value] of query) {
    if (value === '' || !Object.hasOwn(schema.shape, name)) continue
    if (name === 'tags') given[name] = query.getAll(name).filter((tags) => tags !== '')
    else if (name in given) details[name] = ['was given twice']
    else given[name] = value
  }
  const result = schema.safeParse(given)
  for (const { path, message } of result.error?.issues ?? []) details[String(path[0])] = [message]
  if (details['mailbox']?.[0] === 'Invalid mailbox')
    throw new AppError('mailbox_invalid', 'Invalid mailbox', { details })
  if (!result.success || Object.keys(details).length > 0) refuse(details)
  return result.data
}

function refuse(details: ErrorDetails): never {
  const [first] = Object.entries(details).map(([name, messages]) => `${name} ${messages[0]}`)
  throw new AppError('validation_failed', `Invalid query: ${first}.`, { details })
}

/** `qa`, `qa+tag` or a full address; people forget to escape `+`, so one inner space reads as one. */
function parseMailbox(value: string): MessageFilter['mailbox'] | null {
  const given = value.trim()
  if (given.split(' ').length > 2) return null
  const name = given.replace(' ', '+')
  // eslint-disable-next-line no-control-regex -- controls are what it refuses
  if (/[\s\x00-\x1f\x7f"<>()[\],;:\\]/.test(name)) return null
  if (name.includes('@')) {
    const recipient = parseRecipient(name)
    return recipient && { name: recipient.mailbox, tag: recipient.tag, domain: recipient.domain }
  }
  const { mailbox, tag } = splitLocalPart(name)
  return mailbox === '' || name.length > LOCAL_PART_MAX ? null : { name: mailbox, tag, domain: null }
}

function splitTags(values: string[]): string[] | undefined {
  const tags = values.flatMap((value) => value.split(',')).map((value) => value.trim().toLowerCase())
  const given = tags.filter((value) => value !== '').slice(0, TAGS_MAX)
  return given.length > 0 ? given : undefined
}

/** In what looks like an address, spaces before the `@` may be plus signs that were not escaped. */
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

/** `…T12:00:00 02:00` is `+02:00` with the plus sign lost on the way. */
function parseSince(value: string): number | null {
  return parseIsoTime(value.trim().replace(/^(.*T.*) (\d{2}:?\d{2})$/i, '$1+$2'))
}

function parseWaitMs(value: string): number | null {
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Infinity
  return seconds <= WAIT_SECONDS_MAX ? seconds * 1000 : null
}

function parseLimit(value: string): number | null {
  const limit = /^\d+$/.test(value) ? Number(value) : 0
  return limit >= 1 && limit <= LIMIT_MAX ? limit : null
}
