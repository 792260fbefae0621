import type { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import { detailsOf } from '../intake/announcement.ts'

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
  const text = await readText(request, bytesMax).catch((error: unknown) => {
    // The client disconnected, so the text of this error does not reach it.
    throw error instanceof AppError ? error : new AppError('validation_failed', 'The body is incomplete.', { status })
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('validation_failed', 'The body is not JSON.', { status, details: { body: ['is not JSON'] } })
  }
}

/** Refuses a body that is too large by its declared length, or else as soon as it exceeds the limit. */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  const declared = request.headers.get('content-length')
  if (declared !== null) {
    if (Number(declared) > bytesMax) throw tooLarge(bytesMax)
    return request.text()
  }
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength
    if (length > bytesMax) throw tooLarge(bytesMax)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function tooLarge(bytesMax: number): AppError {
  // The rest of the body is not read, so the connection cannot be reused.
  return new AppError('payload_too_large', `The body is larger than ${bytesMax} bytes.`, {
    headers: { connection: 'close' },
  })
}
