import { parseMail, type ParsedMail } from './parse-mail.ts'

/**
 * How much of a mail is kept for parsing where memory is scarce. The headers (256 KiB) and both bodies at their limit
 * (1 MiB each, a third more in base64) need 3 MiB. The rest leaves room for an image between them.
 */
export const PREFIX_BYTES_MAX = 4 * 1024 * 1024

export type MailStart = {
  /** The first bytes of the mail, or all of them if it is small. */
  bytes: Uint8Array
  isWhole: boolean
  /** All bytes of the mail: `bytes`, then the rest of the stream. Can be read once. */
  chunks: () => AsyncIterable<Uint8Array>
  /** Releases the stream if the rest is not needed. */
  cancel: () => Promise<void>
}

/** Reads only as much of a mail as is parsed. */
export async function readStart(stream: ReadableStream<Uint8Array>): Promise<MailStart> {
  const reader = stream.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  let isWhole = false
  while (!isWhole && length <= PREFIX_BYTES_MAX) {
    const { value, done } = await reader.read()
    isWhole = done
    if (value) pieces.push(value)
    length += value?.byteLength ?? 0
  }
  const bytes = join(pieces, length)

  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytes
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield value
    }
  }
  return { bytes, isWhole, chunks, cancel: () => reader.cancel() }
}

/** The result is partial if the start is not the whole mail. */
export function parseStart({ bytes, isWhole }: Pick<MailStart, 'bytes' | 'isWhole'>): ParsedMail {
  const parsed = parseMail(bytes.subarray(0, PREFIX_BYTES_MAX))
  return isWhole || parsed.parse === 'failed' ? parsed : { ...parsed, parse: 'partial' }
}

function join(pieces: Uint8Array[], length: number): Uint8Array {
  const [only] = pieces
  if (only && pieces.length === 1) return only
  const joined = new Uint8Array(length)
  let position = 0
  for (const piece of pieces) {
    joined.set(piece, position)
    position += piece.byteLength
  }
  return joined
}
