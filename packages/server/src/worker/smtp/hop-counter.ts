const LF = 0x0a
const FIELD = 'received:'

/** Counts `Received:` fields in the header block of a mail that comes in chunks. */
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
