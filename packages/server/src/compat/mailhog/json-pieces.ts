/** Characters that are written at a time. */
const PIECE_LENGTH = 64 * 1024

/** Bytes of a mail as a text with one character for each, so that parts of it need no memory of their own. */
export class RawText {
  readonly bytes: string

  constructor(bytes: string) {
    this.bytes = bytes
  }

  /** Read as UTF-8. */
  toString(): string {
    return Buffer.from(this.bytes, 'latin1').toString('utf8')
  }
}

type Json = string | number | null | RawText | Json[] | { [name: string]: Json }

/** A value as JSON, in pieces: a mail of 25 MB is more than 75 MB of it. */
export function* jsonPieces(value: Json): Generator<string> {
  let piece = ''
  for (const token of tokensOf(value)) {
    piece += token
    if (piece.length < PIECE_LENGTH) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

function* tokensOf(value: Json): Generator<string> {
  if (value instanceof RawText) {
    yield* textTokens(value.bytes)
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ','
      yield* tokensOf(item)
    }
    yield value.length === 0 ? '[]' : ']'
  } else if (typeof value === 'object' && value !== null) {
    let separator = '{'
    for (const [name, inner] of Object.entries(value)) {
      yield `${separator}${JSON.stringify(name)}:`
      yield* tokensOf(inner)
      separator = ','
    }
    yield separator === '{' ? '{}' : '}'
  } else {
    yield JSON.stringify(value)
  }
}

function* textTokens(bytes: string): Generator<string> {
  yield '"'
  for (let start = 0; start < bytes.length;) {
    const end = characterEnd(bytes, start + PIECE_LENGTH)
    yield JSON.stringify(new RawText(bytes.slice(start, end)).toString()).slice(1, -1)
    start = end
  }
  yield '"'
}

/** A character of UTF-8 has up to three bytes after its first. */
function characterEnd(bytes: string, near: number): number {
  for (let end = near; end < near + 4; end++) {
    const byte = bytes.charCodeAt(end)
    if (Number.isNaN(byte)) return bytes.length
    if (byte < 0x80 || byte >= 0xc0) return end
  }
  return near
}
