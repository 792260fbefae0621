import { z } from 'zod'

const TEXT_MAX = 4_096

/** Ids are ours, in lower case; one of another form names nothing. */
export const id = z.string().max(TEXT_MAX).toLowerCase()

const text = z.string().max(TEXT_MAX).optional()

/** The filters of the REST API, in words that read the same there. */
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

/** `lastEventId` is what the client adds when it comes back. */
export const followInput = z
  .object({ ...filterShape, lastEventId: z.string().max(TEXT_MAX).nullish() })
  .default({})
  .transform(({ lastEventId, ...rest }) => ({ query: toQuery(rest), lastEventId: lastEventId ?? undefined }))

type Given = Record<string, string | number | string[] | undefined>

/** One reading of filters for both doors. */
function toQuery(given: Given): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one))
  }
  return query
}
