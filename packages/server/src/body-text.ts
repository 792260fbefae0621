import { AppError } from './domain/errors.ts'

/**
 * Refuses a body that is too large by its declared length, or else as soon as it exceeds the limit. A body that breaks off
 * is a refusal too, with `status`: it is no failure of the server that its client has disconnected.
 */
export async function readText(request: Request, bytesMax: number, status = 400): Promise<string> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > bytesMax) throw tooLarge(bytesMax)
  try {
    return declared === null ? await readUpTo(request, bytesMax) : await request.text()
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('validation_failed', 'The body is incomplete.', { status })
  }
}

async function readUpTo(request: Request, bytesMax: number): Promise<string> {
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
