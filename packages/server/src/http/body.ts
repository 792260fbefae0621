import { AppError } from '../domain/errors.ts'
import { LocalRequest } from './local-request.ts'

/** The body as JSON; 413 when it is too large, 422 when it is none. */
export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  if (request instanceof LocalRequest) return request.content
  const text = await readText(request, bytesMax)
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('validation_failed', 'The body is not JSON.', {
      status: 422,
      details: { body: ['is not JSON'] },
    })
  }
}

/** Too large is refused by the declared length, or else as soon as the limit is passed. */
async function readText(request: Request, bytesMax: number): Promise<string> {
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
