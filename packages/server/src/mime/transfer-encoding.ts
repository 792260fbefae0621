// Content-Transfer-Encoding (RFC 2045), forgiving: what is not encoded as it should be stays or is left out, never an error.

export type TransferEncoding = 'base64' | 'quoted-printable' | 'identity'

const LF = 0x0a
const CR = 0x0d
const EQUALS = 0x3d

const NO_ROOM = new Uint8Array(0)

/**
 * Decodes at most `bytesMax` bytes. Bytes that need no decoding are returned as a view, not a copy; decoded ones as a
 * view of `room` if they fit there for certain, for callers that have done with them before they decode again.
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
  const decode = encoding === 'base64' ? decodeBase64 : decodeQuotedPrintable
  return target.subarray(0, decode(source, target))
}

/** How many bytes `decodeTransfer` would give. */
export function decodedSize(source: Uint8Array, encoding: TransferEncoding): number {
  if (encoding === 'base64') return base64Size(source)
  if (encoding === 'identity') return source.length
  return decodeQuotedPrintable(source, null)
}

/** The value of two hexadecimal digits, or -1. */
export function hexByte(bytes: Uint8Array, index: number): number {
  const high = HEX[bytes[index] ?? 0]!
  const low = HEX[bytes[index + 1] ?? 0]!
  return high < 0 || low < 0 ? -1 : (high << 4) | low
}

const OTHER = -1
const PADDING = -2
const HEX = new Int8Array(256).fill(OTHER)
for (const digits of ['0123456789abcdef', '0123456789ABCDEF']) {
  for (let value = 0; value < 16; value++) HEX[digits.charCodeAt(value)] = value
}
const BASE64 = new Int8Array(256).fill(OTHER)
const BASE64_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
for (let value = 0; value < 64; value++) BASE64[BASE64_DIGITS.charCodeAt(value)] = value
BASE64[EQUALS] = PADDING

function decodeBase64(source: Uint8Array, target: Uint8Array): number {
  let length = 0
  let bits = 0
  let digits = 0
  for (let index = 0; index < source.length && length < target.length; index++) {
    const value = BASE64[source[index]!]!
    if (value >= 0) {
      bits = (bits << 6) | value
      digits++
      if (digits < 4) continue
    } else if (value === OTHER || digits === 0) continue
    length = writeGroup(target, length, bits, digits)
    // Some senders pad every line, so padding ends a group and not the data.
    bits = 0
    digits = 0
  }
  return Math.min(writeGroup(target, length, bits, digits), target.length)
}

// Writing beyond the end of a typed array does nothing, which is what a cut needs.
function writeGroup(target: Uint8Array, length: number, bits: number, digits: number): number {
  if (digits < 2) return length
  const aligned = bits << (6 * (4 - digits))
  target[length] = aligned >> 16
  if (digits > 2) target[length + 1] = aligned >> 8
  if (digits > 3) target[length + 2] = aligned
  return length + digits - 1
}

function base64Size(source: Uint8Array): number {
  let size = 0
  let digits = 0
  for (let index = 0; index < source.length; index++) {
    const value = BASE64[source[index]!]!
    if (value >= 0) digits++
    else if (value === PADDING) {
      size += Math.floor((digits * 3) / 4)
      digits = 0
    }
  }
  return size + Math.floor((digits * 3) / 4)
}

/** Writes to `target` while there is room, or only counts without one. */
function decodeQuotedPrintable(source: Uint8Array, target: Uint8Array | null): number {
  const lengthMax = target?.length ?? Infinity
  // With room for all of it, runs are moved within a copy: one call each instead of two.
  const isCopy = target !== null && target.length >= source.length
  if (isCopy) target.set(source)
  let length = 0
  let index = 0
  while (index < source.length && length < lengthMax) {
    if (source[index] !== EQUALS) {
      // Most of it is not encoded: what lies before the next sign is copied as a whole.
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

/** Below this a loop is quicker than a call into the engine. */
const LONG_RUN_BYTES = 32

function copy(source: Uint8Array, start: number, end: number, target: Uint8Array | null, at: number): void {
  if (!target) return
  if (end - start >= LONG_RUN_BYTES) target.set(source.subarray(start, end), at)
  else for (let index = start; index < end; index++) target[at + index - start] = source[index]!
}

/** Where the next line begins if nothing but blanks follows on this one, else -1. */
function softBreakEnd(source: Uint8Array, start: number): number {
  let index = start
  while (source[index] === 0x20 || source[index] === 0x09) index++
  if (source[index] === CR) index++
  if (index >= source.length) return source.length
  return source[index] === LF ? index + 1 : -1
}
