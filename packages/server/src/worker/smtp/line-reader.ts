import { isUtf8 } from 'node:buffer'

const LF = 0x0a
const CR = 0x0d
const EMPTY = Buffer.alloc(0)
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\x00-\x1f\x7f]/

/** `too-long`: over the limit, now skipped. `malformed`: no CR before the LF, a control character, or not UTF-8. */
export type LineFault = { fault: 'too-long' | 'malformed' }
const TOO_LONG: LineFault = { fault: 'too-long' }
const MALFORMED: LineFault = { fault: 'malformed' }

/** The bytes that have arrived and are not used yet, handed out as command lines or as they are. */
export class LineReader {
  #bytes: Buffer = EMPTY
  #at = 0
  #skipping = false
  #lineBytesMax: number

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax
  }

  get isEmpty(): boolean {
    return this.#at === this.#bytes.length
  }

  push(chunk: Buffer): void {
    this.#bytes = this.isEmpty ? chunk : Buffer.concat([this.rest(), chunk])
    this.#at = 0
  }

  rest(): Buffer {
    return this.#at === 0 ? this.#bytes : this.#bytes.subarray(this.#at)
  }

  skip(byteCount: number): void {
    this.#at += byteCount
    if (this.#at === this.#bytes.length) this.clear()
  }

  clear(): void {
    this.#bytes = EMPTY
    this.#at = 0
  }

  /** The next whole line without its end, or `null` when the rest of it has not arrived. */
  nextLine(): string | LineFault | null {
    const bytes = this.#bytes
    const start = this.#at
    const lineFeed = start === bytes.length ? -1 : bytes.indexOf(LF, start)
    if (lineFeed === -1) {
      // What cannot become a line any more is not kept, so a line without end costs no memory.
      if (this.#skipping || bytes.length - start > this.#lineBytesMax) {
        this.#skipping = true
        this.clear()
      }
      return null
    }
    this.skip(lineFeed + 1 - start)
    if (this.#skipping || lineFeed + 1 - start > this.#lineBytesMax) {
      this.#skipping = false
      return TOO_LONG
    }
    // A bare LF is refused and not taken for a line end: two servers that disagree on it can be played off.
    if (lineFeed === start || bytes[lineFeed - 1] !== CR) return MALFORMED
    return decodeLine(bytes, start, lineFeed - 1)
  }
}

function decodeLine(bytes: Buffer, start: number, end: number): string | LineFault {
  const text = bytes.toString('latin1', start, end)
  if (!NOT_PRINTABLE_ASCII.test(text)) return text
  if (CONTROL.test(text) || !isUtf8(bytes.subarray(start, end))) return MALFORMED
  return bytes.toString('utf8', start, end)
}
