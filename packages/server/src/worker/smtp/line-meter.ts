const LF = 0x0a

/** Notices a line (up to its LF, which counts) of more than `lineBytesMax` bytes in content that comes in chunks. */
export class LineMeter {
  #lineBytesMax: number
  #lineBytes = 0

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax
  }

  isTooLong(chunk: Buffer): boolean {
    // A whole line inside a chunk that is not too long cannot be either: only the two ends are looked at.
    const looksOnlyAtEnds = chunk.length <= this.#lineBytesMax
    let start = 0
    for (;;) {
      const lineFeed = chunk.indexOf(LF, start)
      const end = lineFeed === -1 ? chunk.length : lineFeed + 1
      this.#lineBytes += end - start
      if (this.#lineBytes > this.#lineBytesMax) return true
      if (lineFeed === -1) return false
      this.#lineBytes = 0
      start = looksOnlyAtEnds ? chunk.lastIndexOf(LF) + 1 : end
      if (start === chunk.length) return false
    }
  }
}
