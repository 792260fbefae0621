import { z } from 'zod'
import { CURSOR_PATTERN } from '../domain/cursor.ts'
import { isUuid } from '../domain/uuid.ts'
import type { AttemptPage } from '../read/attempts.ts'
import { listQuery, parseMailbox } from './message-params.ts'
import { refuse, refuseUnknown } from './query.ts'
import { MAILBOX_FILTER_PATTERN } from './value-patterns.ts'

const LIMIT_DEFAULT = 50
const TO_CHARACTERS_MAX = 1_000

/** Query parameters of `GET /v1/attempts`. */
export const attemptsQuery = z.object({
  to: z
    .string()
    .transform((value, context) => {
      const parsed = value.length > TO_CHARACTERS_MAX ? null : parseMailbox(value)
      if (parsed) return parsed
      context.addIssue({ code: 'custom', message: 'must be an address, or a mailbox with or without a tag' })
      return z.NEVER
    })
    .optional()
    .meta({
      description: '`qa`, `qa+tag` or a full address, case-insensitive. Without a tag: with any tag or none.',
      pattern: MAILBOX_FILTER_PATTERN,
      maxLength: TO_CHARACTERS_MAX,
      example: 'qa+42@mailhatch.test',
    }),
  after: listQuery.shape.after.meta({
    description: 'A cursor of messages. Leaves out attempts that are more than a minute older than it.',
    pattern: CURSOR_PATTERN,
    example: 'c9',
  }),
  limit: listQuery.shape.limit,
  after_id: z.string().toLowerCase().refine(isUuid, 'must be the id of an attempt').optional().meta({
    description: 'Id of an attempt. Returns the page after it.',
    format: 'uuid',
    example: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
  }),
})

/** Filters of messages. If they were ignored, the list would have the attempts for all addresses. */
const OF_MESSAGES = ['mailbox', 'tag', 'tags']

export function toAttemptsParams(
  { to, after, limit = LIMIT_DEFAULT, after_id }: z.output<typeof attemptsQuery>,
  search: URLSearchParams,
): { to: typeof to } & AttemptPage {
  for (const name of OF_MESSAGES) {
    if (search.get(name)) refuse({ [name]: ['cannot be used here; use `to`, such as to=qa%2Btag'] })
  }
  refuseUnknown(attemptsQuery, search)
  return { to, limit, before: after_id ?? null, after: after ?? null }
}
