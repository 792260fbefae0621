import { chunksOf, sizeOf, type ObjectBody } from './bucket.ts'

/**
 * Splits a body into parts of one size; the last may be smaller. The parts share a buffer: each is valid until the next
 * one is requested. A body of the wrong length is an error, because a truncated mail must not look complete.
 */
export async function* partsOf(body: ObjectBody, partBytes: number): AsyncGenerator<Uint8Array> {
  const size = sizeOf(body)
  const buffer = new Uint8Array(Math.min(size, partBytes))
  let filled = 0
  let total = 0
  for await (const chunk of chunksOf(body)) {
    total += chunk.byteLength
    if (total > size) throw new Error(`The body is longer than the declared ${size} bytes.`)
    for (let start = 0; start < chunk.byteLength;) {
      const piece = chunk.subarray(start, start + buffer.length - filled)
      buffer.set(piece, filled)
      filled += piece.byteLength
      start += piece.byteLength
      if (filled < buffer.length) continue
      yield buffer
      filled = 0
    }
  }
  if (total < size) throw new Error(`The body ended after ${total} of ${size} bytes.`)
  if (filled > 0) yield buffer.subarray(0, filled)
}

/** Reads a body of at most `bytesMax` bytes completely. */
export async function wholeOf(body: ObjectBody, bytesMax: number): Promise<Uint8Array> {
  let whole: Uint8Array = new Uint8Array(0)
  // There is only one part.
  for await (const part of partsOf(body, bytesMax)) whole = part
  return whole
}
