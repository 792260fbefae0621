const LF = 0x0a
const CR = 0x0d
const UPPER_R = 0x52
const LOWER_R = 0x72
const FIELD = 'received:'

/** Counts `Received:` fields in the header block of a mail that arrives in chunks. */
export class HopCounter {
  count = 0
  #bytesLeft: number
  #lineStart = ''

  constructor(headerBlockBytesMax: number) {
    this.#bytesLeft = headerBlockBytesMax
  }

  read(chunk: Buffer): void {
    let at = 0
    while (this.#bytesLeft > 0 && at < chunk.length) {
      const lineFeed = chunk.indexOf(LF, at)
      const end = lineFeed === -1 ? chunk.length : lineFeed + 1
      // The first byte rules out most lines.
      if (lineFeed !== -1 && this.#lineStart === '' && !mayBeRelevant(chunk[at])) {
        this.#bytesLeft -= end - at
        at = end
        continue
      }
      const wanted = FIELD.length - this.#lineStart.length
      if (wanted > 0) this.#lineStart += chunk.toString('latin1', at, Math.min(end, at + wanted))
      this.#bytesLeft -= end - at
      at = end
      if (lineFeed !== -1) this.#endLine()
    }
  }

  #endLine(): void {
    const start = this.#lineStart
    this.#lineStart = ''
    if (start === '\r\n' || start === '\n') this.#bytesLeft = 0
    else if (start.length === FIELD.length && start.toLowerCase() === FIELD) this.count++
  }
}

/** Whether a line with this first byte can be a `Received:` field or the empty line after the headers. */
function mayBeRelevant(byte: number | undefined): boolean {
  return byte === UPPER_R || byte === LOWER_R || byte === CR || byte === LF
}
