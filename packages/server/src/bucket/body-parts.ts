import { chunksOf, sizeOf, type Body } from './bucket.ts'

/**
 * A body cut into parts of one size, the last one smaller. The parts share memory: each is valid until the next is
 * asked for. A body that is not as long as it said is an error, since half a mail must not pass for a whole one.
 */
export async function* partsOf(body: Body, partBytes: number): AsyncGenerator<Uint8Array> {
  const size = sizeOf(body)
  const buffer = new Uint8Array(Math.min(size, partBytes))
  let filled = 0
  let total = 0
  for await (const chunk of chunksOf(body)) {
    total += chunk.byteLength
    if (total > size) throw new Error(`The body has more than the ${size} bytes that it said.`)
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

/** A body of at most that many bytes, whole. */
export async function wholeOf(body: Body, bytesMax: number): Promise<Uint8Array> {
  let whole: Uint8Array = new Uint8Array(0)
  // There is but one.
  for await (const part of partsOf(body, bytesMax)) whole = part
  return whole
}
