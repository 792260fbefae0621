import type { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import { detailsOf } from '../intake/announcement.ts'

export const BODY_BYTES_MAX = 256 * 1024
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i

/** The body of a request as the schema wants it; throws 415, 413 or 400 for any other. */
export async function readBody<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.output<Schema>> {
  const type = request.headers.get('content-type')
  if (type !== null && !JSON_TYPE.test(type)) {
    throw new AppError('unsupported_media_type', 'Send JSON, with Content-Type: application/json.')
  }
  const result = schema.safeParse(await readJson(request, { bytesMax: BODY_BYTES_MAX, status: 400 }))
  if (result.success) return result.data
  throw new AppError('validation_failed', 'The body is not valid.', { details: detailsOf(result.error) })
}

/** The body as JSON; 413 when it is too large, `status` when it is none. */
export async function readJson(
  request: Request,
  { bytesMax, status }: { bytesMax: number; status: number },
): Promise<unknown> {
  const text = await readText(request, bytesMax).catch((error: unknown) => {
    // The client hung up in the middle; nobody hears this.
    throw error instanceof AppError ? error : new AppError('validation_failed', 'The body broke off.', { status })
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('validation_failed', 'The body is not JSON.', { status, details: { body: ['is not JSON'] } })
  }
}

/** Too large is refused by the declared length, or else as soon as the limit is passed. */
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
  // What is still on its way is not read, so the connection cannot be used again.
  return new AppError('payload_too_large', `The body is larger than ${bytesMax} bytes.`, {
    headers: { connection: 'close' },
  })
}
