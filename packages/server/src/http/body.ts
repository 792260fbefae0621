import { AppError } from '../domain/errors.ts'

/** The body as text. One that is too large is refused by its declared length, or else as soon as it has passed the limit. */
export async function readBody(request: Request, bytesMax: number): Promise<string> {
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
  return new AppError('payload_too_large', `The body is larger than ${bytesMax} bytes.`)
}
