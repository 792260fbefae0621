import { decodeBytes, decodeUtf8, isSameCharset, isSingleByte } from './charset.ts'
import { ENCODED_WORDS_MAX } from './limits.ts'
import { decodeTransfer, hexByte } from './transfer-encoding.ts'

/** Decodes RFC 2047 encoded words, up to a limit per mail. Later words do not change. */
export type WordDecoder = { decode(text: string): string; isExhausted(): boolean }

export function createWordDecoder(): WordDecoder {
  let wordsLeft = ENCODED_WORDS_MAX
  const mayDecode = () => wordsLeft-- > 0
  return {
    decode: (text) => (text.includes('=?') ? decodeWords(text, mayDecode) : text),
    isExhausted: () => wordsLeft < 0,
  }
}

/** `=?charset?Q?text?=`, from `start` to `end`. */
export type EncodedWord = { start: number; end: number; charset: string; encoding: 'B' | 'Q'; text: string }

const WORD_START = /=\?([^\s?=]{0,60})\?([bq])\?/iy

/**
 * The encoded words of a text, in order. A word may contain blanks, because many programs write them, but not the start
 * of another word. Takes linear time.
 */
export function* findWords(text: string): Generator<EncodedWord> {
  let start = text.indexOf('=?')
  let end = -1
  while (start >= 0) {
    WORD_START.lastIndex = start
    const match = WORD_START.exec(text)
    const contentStart = start + (match?.[0].length ?? 2)
    let next = text.indexOf('=?', contentStart)
    if (match) {
      // Searched only after the previous one was passed, so that many words without an end take linear time.
      if (end < contentStart) end = text.indexOf('?=', contentStart)
      if (end < 0) return
      const isCutShort = next >= 0 && next < end && isWordStart(text, next)
      if (!isCutShort) {
        const encoding = match[2] === 'b' || match[2] === 'B' ? 'B' : 'Q'
        yield { start, end: end + 2, charset: match[1]!, encoding, text: text.slice(contentStart, end) }
        next = next >= end + 2 ? next : text.indexOf('=?', end + 2)
      }
    }
    start = next
  }
}

function isWordStart(text: string, start: number): boolean {
  WORD_START.lastIndex = start
  return WORD_START.test(text)
}

/**
 * Decodes the words of a text. Adjacent words of one charset are decoded together, because a character may be split
 * between them and the state of ISO-2022-JP may continue.
 */
export function decodeWords(text: string, mayDecode: () => boolean = () => true): string {
  let result = ''
  let position = 0
  let charset = ''
  let run: Uint8Array[] = []
  const endRun = () => {
    if (run.length > 0) result += decodeBytes(join(run), charset)
    run = []
  }
  for (const word of findWords(text)) {
    if (!mayDecode()) break
    const between = text.slice(position, word.start)
    // Blanks between words only separate them.
    const isNeighbour = position > 0 && between.trim() === ''
    if (!isNeighbour || !isSameCharset(charset, word.charset)) endRun()
    if (!isNeighbour) result += between
    charset = word.charset
    run.push(bytesOfWord(word))
    position = word.end
  }
  endRun()
  return result + text.slice(position)
}

const encoder = new TextEncoder()
const UNDERSCORE = 0x5f
const SPACE = 0x20
const EQUALS = 0x3d

/** Raw bytes that `escapeRawBytes` did not escape count as text, which is the same in UTF-8. */
function bytesOfWord({ encoding, text }: EncodedWord): Uint8Array {
  const bytes = encoder.encode(text)
  if (encoding === 'B') return decodeTransfer(bytes, 'base64')
  let length = 0
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!
    const value = byte === EQUALS ? hexByte(bytes, index + 1) : -1
    if (value >= 0) index += 2
    bytes[length++] = value >= 0 ? value : byte === UNDERSCORE ? SPACE : byte
  }
  return bytes.subarray(0, length)
}

/**
 * Escapes raw bytes in Q words, so that they are decoded in the charset of their word. The field has one character per
 * byte. Valid UTF-8 in a word of another charset is still UTF-8.
 */
export function escapeRawBytes(field: string): string {
  if (!field.includes('=?')) return field
  let result = ''
  let position = 0
  for (const { start, end, charset, encoding, text } of findWords(field)) {
    if (encoding === 'B' || !hasRawBytes(text)) continue
    const isUtf8 = isSingleByte(charset) && decodeUtf8(bytesFrom(text)) !== null
    const word = isUtf8 ? `=?utf-8?Q?${text}?=` : field.slice(start, end)
    result += field.slice(position, start) + word.replace(RAW_BYTE, escapeByte)
    position = end
  }
  return result + field.slice(position)
}

const RAW_BYTE = /[\x80-\xff]/g

function hasRawBytes(text: string): boolean {
  return text.search(RAW_BYTE) >= 0
}

/** Converts a text with one character per byte. */
export function bytesFrom(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index)
  return bytes
}

function escapeByte(byte: string): string {
  return `=${byte.charCodeAt(0).toString(16).toUpperCase()}`
}

function join(pieces: Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let position = 0
  for (const piece of pieces) {
    joined.set(piece, position)
    position += piece.length
  }
  return joined
}
