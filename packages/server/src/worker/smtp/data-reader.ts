const LF = 0x0a
const CR = 0x0d
const DOT = 0x2e
const CR_LF_DOT = Buffer.from('\r\n.')
const CR_ALONE = Buffer.from('\r')

// Parser state: what precedes the next byte.
const TEXT = 0
const CR_SEEN = 1
const LINE_START = 2
const DOT_SEEN = 3
const DOT_CR_SEEN = 4

/**
 * Finds the end of a mail sent with DATA and undoes dot-stuffing (RFC 5321, 4.5.2). Only CRLF ends a line, so a dot
 * after a bare LF or CR is text and never ends the mail.
 */
export class DataReader {
  /** Bytes of the last chunk that belong to the mail or its end mark. */
  consumed = 0
  ended = false
  #state = LINE_START

  /** Returns the mail's bytes in this chunk as a view of it. Removing a dot moves the bytes within the chunk. */
  read(chunk: Buffer): Buffer {
    let state = this.#state
    let at = 0
    let kept = 0
    let crFromBefore = false

    while (at < chunk.length) {
      // Until the first removed dot nothing has to move, so use the native search for the next dot.
      if (state === TEXT && kept === at) {
        const dotLine = chunk.indexOf(CR_LF_DOT, at)
        if (dotLine === -1) {
          at = kept = chunk.length
          state = stateAtEnd(chunk)
          break
        }
        at = kept = dotLine + 2
        state = LINE_START
      }
      const byte = chunk[at++]!
      if (state === DOT_CR_SEEN) {
        if (byte === LF) {
          this.ended = true
          break
        }
        // The CR that was held back is text. It fits here unless it was in an earlier chunk.
        if (kept < at - 1) chunk[kept++] = CR
        else crFromBefore = true
        state = TEXT
      } else if (state === DOT_SEEN && byte === CR) {
        state = DOT_CR_SEEN
        continue
      } else if (state === LINE_START && byte === DOT) {
        state = DOT_SEEN
        continue
      }
      chunk[kept++] = byte
      if (byte === CR) state = CR_SEEN
      else state = byte === LF && state === CR_SEEN ? LINE_START : TEXT
    }

    this.#state = state
    this.consumed = at
    const content = chunk.subarray(0, kept)
    return crFromBefore ? Buffer.concat([CR_ALONE, content]) : content
  }
}

function stateAtEnd(chunk: Buffer): number {
  const last = chunk[chunk.length - 1]
  if (last === CR) return CR_SEEN
  return last === LF && chunk[chunk.length - 2] === CR ? LINE_START : TEXT
}
