import { createReadStream } from 'node:fs'
import { MAIL_BYTES_MAX } from './stored-mail.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const QUOTE = 0x3e
const SEPARATOR = 'From '
/** A longer line is split. The parts are joined again in the mail. */
const LINE_BYTES_MAX = 64 * 1024
const FIRST_BYTES = 4 * 1024

/** A line, or a part of a long one. */
type Piece = { bytes: Buffer; isLineStart: boolean }

/** Streams the messages of an mbox file with their line ends. Unescapes `>From `. Null is a mail that is too large. */
export async function* readMbox(path: string): AsyncGenerator<Uint8Array | null> {
  let mail: MailBytes | null = null
  let isAfterEmpty = false
  for await (const pieces of piecesOf(path)) {
    for (const { bytes, isLineStart } of pieces) {
      // In a body, such a line is escaped as `>From `, or does not follow an empty line.
      if (isLineStart && isSeparator(bytes, 0) && (mail === null || isAfterEmpty)) {
        if (mail !== null) yield mail.finish()
        mail = createMailBytes()
      } else mail?.add(isLineStart ? unescaped(bytes) : bytes)
      isAfterEmpty = isLineStart && lineEndLength(bytes) === bytes.length
    }
  }
  if (mail !== null) yield mail.finish()
}

async function* piecesOf(path: string): AsyncGenerator<Piece[]> {
  let rest: Buffer = Buffer.alloc(0)
  let isLineStart = true
  // Without an encoding, the chunks are buffers.
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const data = Buffer.concat([rest, chunk])
    const pieces: Piece[] = []
    let start = 0
    for (let end = data.indexOf(LINE_FEED) + 1; end > 0; end = data.indexOf(LINE_FEED, start) + 1) {
      pieces.push({ bytes: data.subarray(start, end), isLineStart })
      isLineStart = true
      start = end
    }
    if (data.length - start > LINE_BYTES_MAX) {
      pieces.push({ bytes: data.subarray(start), isLineStart })
      isLineStart = false
      start = data.length
    }
    rest = data.subarray(start)
    yield pieces
  }
  if (rest.length > 0) yield [{ bytes: rest, isLineStart }]
}

function isSeparator(line: Buffer, start: number): boolean {
  // Most lines need no text.
  return (
    line[start] === SEPARATOR.charCodeAt(0) && line.toString('latin1', start, start + SEPARATOR.length) === SEPARATOR
  )
}

function unescaped(line: Buffer): Buffer {
  let start = 0
  while (line[start] === QUOTE) start += 1
  return start > 0 && isSeparator(line, start) ? line.subarray(1) : line
}

/** 0 if the line has no end. */
function lineEndLength(line: Buffer): number {
  if (line.at(-1) !== LINE_FEED) return 0
  return line.at(-2) === CARRIAGE_RETURN ? 2 : 1
}

type MailBytes = ReturnType<typeof createMailBytes>

function createMailBytes() {
  let kept: Buffer = Buffer.alloc(FIRST_BYTES)
  let size = 0
  return {
    add(bytes: Buffer): void {
      const start = size
      size += bytes.length
      // Only counted, to save memory.
      if (size > MAIL_BYTES_MAX) return
      if (size > kept.length) kept = Buffer.concat([kept], Math.max(size, 2 * kept.length))
      bytes.copy(kept, start)
    },

    finish(): Uint8Array | null {
      return size > MAIL_BYTES_MAX ? null : withoutEmptyLine(kept.subarray(0, size))
    },
  }
}

/** The empty line before the next mail does not belong to this one. */
function withoutEmptyLine(mail: Buffer): Buffer {
  const own = mail.subarray(0, mail.length - lineEndLength(mail))
  return own.length === 0 || own.at(-1) === LINE_FEED ? own : mail
}
