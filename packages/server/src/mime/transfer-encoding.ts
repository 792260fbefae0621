// Content-Transfer-Encoding (RFC 2045). Invalid input is kept or skipped and never causes an error.

import { decodeUuencoded } from './uuencode.ts'

export type TransferEncoding = 'base64' | 'quoted-printable' | 'uuencode' | 'identity'

const LF = 0x0a
const CR = 0x0d
const EQUALS = 0x3d

const NO_ROOM = new Uint8Array(0)

/**
 * Decodes at most `bytesMax` bytes. Bytes that need no decoding are returned as a view. Decoded bytes are a view of
 * `room` if they are certain to fit, so callers must use them before they decode again.
 */
export function decodeTransfer(
  source: Uint8Array,
  encoding: TransferEncoding,
  bytesMax = Infinity,
  room = NO_ROOM,
): Uint8Array {
  if (encoding === 'identity') return source.subarray(0, bytesMax)
  const wholeLengthMax = encoding === 'base64' ? Math.ceil((source.length * 3) / 4) : source.length
  const lengthMax = Math.min(wholeLengthMax, bytesMax)
  const target = lengthMax <= room.length ? room.subarray(0, lengthMax) : new Uint8Array(lengthMax)
  return target.subarray(0, DECODE[encoding](source, target))
}

/** How many bytes `decodeTransfer` would return. */
export function decodedSize(source: Uint8Array, encoding: TransferEncoding): number {
  if (encoding === 'identity') return source.length
  return DECODE[encoding](source, null)
}

/** Each writes to `target` while there is room, and returns the number of bytes. */
const DECODE = { base64: decodeBase64, 'quoted-printable': decodeQuotedPrintable, uuencode: decodeUuencoded }

// Enough for a greeting and the line below it.
const PLAIN_BYTES_MAX = 200

// A tag, a character that is not a base64 digit, or words with a blank between them, possibly after a greeting. Base64
// that is broken by blanks has longer pieces than words.
const PLAIN_START =
  /^[ \t\r\n]*(?:[<\x80-\xff]|(?:[^ \t\r\n]{1,30}[,:;.!?][ \t\r\n]+)?[^ \t\r\n]{1,30}[ \t]+[^ \t\r\n])/

/** The actual encoding of a text. Some programs declare base64 but do not encode. */
export function encodingOfText(source: Uint8Array, declared: TransferEncoding): TransferEncoding {
  if (declared !== 'base64') return declared
  const start = String.fromCharCode(...source.subarray(0, PLAIN_BYTES_MAX))
  return PLAIN_START.test(start) ? 'identity' : 'base64'
}

/** The value of two hexadecimal digits, or -1. */
export function hexByte(bytes: Uint8Array, index: number): number {
  const high = HEX[bytes[index] ?? 0]!
  const low = HEX[bytes[index + 1] ?? 0]!
  return high < 0 || low < 0 ? -1 : (high << 4) | low
}

const OTHER = -1
const PADDING = -2
const LINE_END = -3
const HEX = new Int8Array(256).fill(OTHER)
for (const digits of ['0123456789abcdef', '0123456789ABCDEF']) {
  for (let value = 0; value < 16; value++) HEX[digits.charCodeAt(value)] = value
}
const BASE64 = new Int8Array(256).fill(OTHER)
const BASE64_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
for (let value = 0; value < 64; value++) BASE64[BASE64_DIGITS.charCodeAt(value)] = value
BASE64[EQUALS] = PADDING
BASE64[LF] = LINE_END

/** The value of a base64 digit, or a negative number. */
export function base64Value(byte: number): number {
  return BASE64[byte]!
}

/** Some senders pad every line or piece, so padding ends only a group. The data ends where other text follows. */
function decodeBase64(source: Uint8Array, target: Uint8Array | null): number {
  const lengthMax = target?.length ?? Infinity
  let length = 0
  let bits = 0
  let digits = 0
  // Data is known to follow up to this position.
  let checkedEnd = 0
  for (let index = 0; index < source.length && length < lengthMax; index++) {
    // Fast path for complete groups, which are nearly all of the data.
    if (digits === 0 && target !== null) {
      while (index + 3 < source.length && length + 3 <= lengthMax) {
        const first = (BASE64[source[index]!]! << 6) | BASE64[source[index + 1]!]!
        const second = (BASE64[source[index + 2]!]! << 6) | BASE64[source[index + 3]!]!
        // A character that is not a digit is negative, and so is the combined value.
        if ((first | second) < 0) break
        target[length] = first >> 4
        target[length + 1] = (first << 4) | (second >> 8)
        target[length + 2] = second
        length += 3
        index += 4
      }
      if (index >= source.length || length >= lengthMax) break
    }
    const value = BASE64[source[index]!]!
    if (value >= 0) {
      bits = (bits << 6) | value
      digits++
      if (digits < 4) continue
    } else if (value === OTHER) continue

    if (digits > 0 && value !== LINE_END) {
      length = writeGroup(target, length, bits, digits)
      bits = 0
      digits = 0
    }
    if (value >= 0 || index < checkedEnd) continue
    const isBlankLine = value === LINE_END && isLineEnd(source[index + 1]) && length + digits > 0
    if (value === LINE_END && !isBlankLine) continue
    const line = nextDataLine(source, index + 1, value === PADDING)
    if (!line) break
    checkedEnd = line.end
    index = line.start - 1
  }
  return Math.min(writeGroup(target, length, bits, digits), lengthMax)
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR
}

/**
 * The next line of base64, or null if other text follows, such as the unencoded footer of a mailing list. After
 * padding, a line must consist of complete groups. After an empty line, it only has to consist of digits.
 */
function nextDataLine(source: Uint8Array, from: number, isPadded: boolean): { start: number; end: number } | null {
  let start = from
  while (start < source.length && (isLineEnd(source[start]) || isBlank(source[start]) || source[start] === EQUALS))
    start++
  let end = start
  let digits = 0
  while (end < source.length && !isLineEnd(source[end])) {
    const value = BASE64[source[end]!]!
    if (value === OTHER && !isBlank(source[end])) return null
    // Words of a sentence.
    if (isBlank(source[end]) && end + 1 < source.length && BASE64[source[end + 1]!]! >= 0) return null
    if (value !== OTHER) digits++
    end++
  }
  return digits === 0 || (isPadded && digits % 4 !== 0) ? null : { start, end }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09
}

// Writing beyond the end of a typed array does nothing, so the output is cut.
function writeGroup(target: Uint8Array | null, length: number, bits: number, digits: number): number {
  if (digits < 2) return length
  if (target === null) return length + digits - 1
  const aligned = bits << (6 * (4 - digits))
  target[length] = aligned >> 16
  if (digits > 2) target[length + 1] = aligned >> 8
  if (digits > 3) target[length + 2] = aligned
  return length + digits - 1
}

/** Writes to `target` while there is room, or only counts without one. */
function decodeQuotedPrintable(source: Uint8Array, target: Uint8Array | null): number {
  const lengthMax = target?.length ?? Infinity
  // If all of it fits, runs are moved within a copy, which takes one call per run instead of two.
  const isCopy = target !== null && target.length >= source.length
  if (isCopy) target.set(source)
  let length = 0
  let index = 0
  while (index < source.length && length < lengthMax) {
    if (source[index] !== EQUALS) {
      // Most text is not encoded, so everything before the next equals sign is copied at once.
      const sign = source.indexOf(EQUALS, index)
      const end = Math.min(sign < 0 ? source.length : sign, index + lengthMax - length)
      if (isCopy && end - index >= LONG_RUN_BYTES) target.copyWithin(length, index, end)
      else copy(source, index, end, target, length)
      length += end - index
      index = end
      continue
    }
    const value = hexByte(source, index + 1)
    const lineEnd = value < 0 ? softBreakEnd(source, index + 1) : -1
    if (lineEnd >= 0) {
      index = lineEnd
      continue
    }
    if (target) target[length] = value < 0 ? EQUALS : value
    length++
    index += value < 0 ? 1 : 3
  }
  return length
}

/** Below this length a loop is faster than a native call. */
const LONG_RUN_BYTES = 32

function copy(source: Uint8Array, start: number, end: number, target: Uint8Array | null, at: number): void {
  if (!target) return
  if (end - start >= LONG_RUN_BYTES) target.set(source.subarray(start, end), at)
  else for (let index = start; index < end; index++) target[at + index - start] = source[index]!
}

/** The start of the next line if only blanks follow on this one, or else -1. */
function softBreakEnd(source: Uint8Array, start: number): number {
  let index = start
  while (source[index] === 0x20 || source[index] === 0x09) index++
  if (source[index] === CR) index++
  if (index >= source.length) return source.length
  return source[index] === LF ? index + 1 : -1
}
