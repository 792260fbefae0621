import { z } from 'zod'
import { BODY_BYTES_MAX } from '../../http/body.ts'
import { readJson } from '../json-body.ts'

const ids = z.array(z.string()).nullish()

export const readStatusBody = z.object({ read: z.boolean().nullish(), ids, search: z.string().nullish() })
export const idsBody = z.object({ ids })

/** Parses a JSON body, whose keys may have any case. Null if it is empty. Throws 400 or 413 if it does not fit. */
export function readFields<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  bytesMax = BODY_BYTES_MAX,
): Promise<z.output<Schema> | null> {
  return readJson(
    request,
    z.preprocess((value) => withLowerCaseKeys(value), schema),
    bytesMax,
  )
}

/** Of the bodies above and of mail to send. No field is further inside. */
const LEVELS_MAX = 4

/** Mailpit ignores the case of keys. Header names are data. */
function withLowerCaseKeys(value: unknown, levels = LEVELS_MAX): unknown {
  if (levels === 0) return value
  if (Array.isArray(value)) return value.map((item) => withLowerCaseKeys(item, levels - 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = key.toLowerCase()
      return [name, name === 'headers' ? inner : withLowerCaseKeys(inner, levels - 1)]
    }),
  )
}
