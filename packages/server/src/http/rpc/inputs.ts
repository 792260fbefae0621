import { z } from 'zod'
import { MARK_STATE_PATTERN } from '../../read/mark-changes.ts'

const TEXT_MAX = 4_096

/** Ids are lower case. Text that is not an id is valid input that matches nothing. */
export const id = z.string().max(TEXT_MAX).toLowerCase()

const text = z.string().max(TEXT_MAX).optional()

/** The filters of the REST API, with the same names. */
const filterShape = {
  mailbox: text,
  tag: text,
  tags: z.array(z.string().max(TEXT_MAX)).max(100).optional(),
  to: text,
  from: text,
  q: text,
  subject: text,
  text,
  header: text,
  start: text,
  end: text,
  since: text,
  after: text,
}

export const filterInput = z.object(filterShape).default({}).transform(toQuery)

export const listInput = z
  .object({ ...filterShape, limit: z.number().int().optional(), afterId: text })
  .default({})
  .transform(({ afterId, ...rest }) => toQuery({ ...rest, after_id: afterId }))

/** The client adds `lastEventId` when it reconnects. */
export const followInput = z
  .object({
    ...filterShape,
    lastEventId: z.string().max(TEXT_MAX).nullish(),
    marks: z.string().regex(MARK_STATE_PATTERN, 'must be as in a list').optional(),
  })
  .default({})
  .transform(({ lastEventId, marks, ...rest }) => ({
    query: toQuery(rest),
    lastEventId: lastEventId ?? undefined,
    marks,
  }))

/** `upTo`: a cursor. Later messages are left as they are. */
export const markAllInput = z
  .object({ ...filterShape, upTo: text })
  .default({})
  .transform(({ upTo, ...rest }) => ({ query: toQuery(rest), upTo }))

type Given = Record<string, string | number | string[] | undefined>

/** Converts the input to a query, so that both APIs parse filters with the same code. */
function toQuery(given: Given): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one))
  }
  return query
}
