import type { DataReader as Original } from '../../src/worker/smtp/data-reader.ts'

const END = /(?:^|\r\n|\n|\r)\.(?:\r\n|\n|\r)/

/** Takes a dot between any two line ends for the end of a mail, as servers did until SMTP smuggling was published. */
export class DataReader implements Pick<Original, 'consumed' | 'ended' | 'read'> {
  consumed = 0
  ended = false

  read(chunk: Buffer): Buffer {
    const text = chunk.toString('latin1')
    const end = END.exec(text)
    this.ended = end !== null
    this.consumed = end ? end.index + end[0].length : chunk.length
    return Buffer.from(end ? `${text.slice(0, end.index)}\r\n` : text, 'latin1')
  }
}
