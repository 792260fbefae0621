const LF = 0x0a

/** Detects a line of more than `lineBytesMax` bytes, including its LF, in content that arrives in chunks. */
export class LineMeter {
  #lineBytesMax: number
  #lineBytes = 0

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax
  }

  isTooLong(chunk: Buffer): boolean {
    // In a chunk within the limit, only its first and last line can be too long, because they continue in other chunks.
    const checksOnlyEnds = chunk.length <= this.#lineBytesMax
    let start = 0
    for (;;) {
      const lineFeed = chunk.indexOf(LF, start)
      const end = lineFeed === -1 ? chunk.length : lineFeed + 1
      this.#lineBytes += end - start
      if (this.#lineBytes > this.#lineBytesMax) return true
      if (lineFeed === -1) return false
      this.#lineBytes = 0
      start = checksOnlyEnds ? chunk.lastIndexOf(LF) + 1 : end
      if (start === chunk.length) return false
    }
  }
}
