import type { z } from 'zod'
import { readText } from '../body-text.ts'
import { AppError } from '../domain/errors.ts'
import { detailsOf } from '../intake/schema-problems.ts'

export const BODY_BYTES_MAX = 256 * 1024
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i

/** Parses the body with the schema. Throws 415, 413 or 400 if it does not match. */
export async function readBody<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.output<Schema>> {
  const type = request.headers.get('content-type')
  if (type !== null && !JSON_TYPE.test(type)) {
    throw new AppError('unsupported_media_type', 'Send JSON, with Content-Type: application/json.')
  }
  const result = schema.safeParse(await readJson(request, { bytesMax: BODY_BYTES_MAX, status: 400 }))
  if (result.success) return result.data
  throw new AppError('validation_failed', 'The body is not valid.', { details: detailsOf(result.error) })
}

/** Parses the body as JSON. Throws 413 if it is too large, and `status` if it is not JSON. */
export async function readJson(
  request: Request,
  { bytesMax, status }: { bytesMax: number; status: number },
): Promise<unknown> {
  const text = await readText(request, bytesMax, status)
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('validation_failed', 'The body is not JSON.', { status, details: { body: ['is not JSON'] } })
  }
}
