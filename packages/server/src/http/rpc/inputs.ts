import { z } from 'zod'
import { MARK_STATE_PATTERN } from '../../read/mark-changes.ts'

const TEXT_MAX = 4_096

/** Ids are lower case. Text that is not an id is valid input that matches nothing. */
export const id = z.string().max(TEXT_MAX).toLowerCase()

/** More rows than a screen shows. */
const PREVIEWS_MAX = 50

export const previewsInput = z.object({ ids: z.array(id).max(PREVIEWS_MAX) })

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

/** Excluded words make a query longer, and people type few. */
const EXCLUSIONS_MAX = 20

const isThere = z.literal(true).optional()
const bytes = z.number().int().nonnegative().optional()

/** Conditions of the search box that the REST API does not have. */
const wordShape = {
  hasAttachment: isThere,
  hasCode: isThere,
  /** As the marks are when the search runs. */
  isUnread: isThere,
  largerThan: bytes,
  smallerThan: bytes,
  /** An ISO 8601 time. Received before it. */
  before: text,
}

const searchShape = {
  ...filterShape,
  ...wordShape,
  /** Leaves out messages that match one of these. */
  without: z
    .array(z.strictObject({ ...filterShape, ...wordShape }).omit({ after: true }))
    .max(EXCLUSIONS_MAX)
    .optional(),
}

/** Inputs of searches are strict: without a condition that this version does not know, "delete all" would delete more. */
export const filterInput = z.strictObject(searchShape).default({}).transform(toSearch)

export const listInput = z
  .strictObject({ ...searchShape, limit: z.number().int().optional(), afterId: text })
  .default({})
  .transform(({ afterId, ...rest }) => toSearch({ ...rest, after_id: afterId }))

/** The client adds `lastEventId` when it reconnects. */
export const followInput = z
  .strictObject({
    ...searchShape,
    lastEventId: z.string().max(TEXT_MAX).nullish(),
    marks: z.string().regex(MARK_STATE_PATTERN, 'must be as in a list').optional(),
  })
  .default({})
  .transform(({ lastEventId, marks, ...rest }) => ({
    ...toSearch(rest),
    lastEventId: lastEventId ?? undefined,
    marks,
  }))

/** What of a mail a frame shows: its HTML, or one attachment. */
export const viewInput = z.object({
  id,
  remoteImages: z.boolean().default(false),
  attachment: z.number().int().nullable().default(null),
})

/** `upTo`: a cursor. Later messages are left as they are. */
export const markAllInput = z
  .strictObject({ ...searchShape, upTo: text })
  .default({})
  .transform(({ upTo, ...rest }) => ({ ...toSearch(rest), upTo }))

type Words = { [name in keyof typeof wordShape]?: z.output<(typeof wordShape)[name]> }

/** A search: the filters of the REST API as a query, and what the search box has in addition. */
export type SearchInput = { query: URLSearchParams; words: Words; without: { query: URLSearchParams; words: Words }[] }

type Filters = { [name in keyof typeof filterShape]?: z.output<(typeof filterShape)[name]> }
type GivenSearch = Filters & Words & { limit?: number | undefined; after_id?: string | undefined }

function toSearch({ without = [], ...given }: GivenSearch & { without?: GivenSearch[] | undefined }): SearchInput {
  return { ...splitWords(given), without: without.map(splitWords) }
}

function splitWords({ hasAttachment, hasCode, isUnread, largerThan, smallerThan, before, ...filters }: GivenSearch) {
  return { query: toQuery(filters), words: { hasAttachment, hasCode, isUnread, largerThan, smallerThan, before } }
}

type Given = Record<string, string | number | string[] | undefined>

/** Converts the input to a query, so that both APIs parse filters with the same code. */
function toQuery(given: Given): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one))
  }
  return query
}
