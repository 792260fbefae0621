import { isUtf8 } from 'node:buffer'

const LF = 0x0a
const CR = 0x0d
const EMPTY = Buffer.alloc(0)
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/
// oxlint-disable-next-line no-control-regex -- it matches control characters
const CONTROL = /[\x00-\x1f\x7f]/

/** `too-long`: over the limit and skipped. `malformed`: no CR before the LF, a control character, or not UTF-8. */
export type LineFault = { fault: 'too-long' | 'malformed' }
const TOO_LONG: LineFault = { fault: 'too-long' }
const MALFORMED: LineFault = { fault: 'malformed' }

/** Buffers received bytes, and returns them as command lines or as raw bytes. */
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

  /** The next complete line without its line end, or `null` if the line is not complete yet. */
  nextLine(): string | LineFault | null {
    const bytes = this.#bytes
    const start = this.#at
    const lineFeed = start === bytes.length ? -1 : bytes.indexOf(LF, start)
    if (lineFeed === -1) {
      // Drops bytes that cannot become a valid line, so that a line without end uses no memory.
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
    // A bare LF is refused instead of ending the line: servers that disagree about it enable SMTP smuggling.
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
