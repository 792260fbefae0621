// UTF-16 and UTF-32. The byte order comes from the byte order mark, or else the label, or else the positions of zero
// bytes in ordinary text.

const CHARSETS = {
  'utf-16le': new TextDecoder('utf-16le'),
  'utf-16be': new TextDecoder('utf-16be'),
}

// Enough to contain spaces, digits and line breaks, which have a zero byte in every script.
const SAMPLE_BYTES = 1024

/** Null for bytes that cannot be UTF-16 despite their label: text without a mark, a zero byte or a high byte. */
export function decodeUtf16(bytes: Uint8Array, order?: keyof typeof CHARSETS): string | null {
  const marked = markedOrder(bytes)
  if (marked) return CHARSETS[marked].decode(bytes)
  const { even, odd } = countZeros(bytes)
  if (even === 0 && odd === 0 && isAscii(bytes)) return null
  // RFC 2781, 4.3: big-endian without a mark.
  return CHARSETS[order ?? (odd > even ? 'utf-16le' : 'utf-16be')].decode(bytes)
}

function markedOrder(bytes: Uint8Array): keyof typeof CHARSETS | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
}

function countZeros(bytes: Uint8Array): { even: number; odd: number } {
  const zeros = { even: 0, odd: 0 }
  for (let index = 0; index < bytes.length && index < SAMPLE_BYTES; index++) {
    if (bytes[index] === 0) zeros[index % 2 === 0 ? 'even' : 'odd']++
  }
  return zeros
}

function isAscii(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte < 0x80)
}

const NO_CHARACTER = 0xfffd

export function decodeUtf32(bytes: Uint8Array, isLittle?: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isMarkedLittle = bytes[0] === 0xff && bytes[1] === 0xfe
  const isMarkedBig = bytes[2] === 0xfe && bytes[3] === 0xff
  const littleEnd = isMarkedLittle || (!isMarkedBig && (isLittle ?? bytes[0] !== 0))
  const units = new Uint16Array(bytes.length >> 1)
  let length = 0
  for (let index = isMarkedLittle || isMarkedBig ? 4 : 0; index + 4 <= bytes.length; index += 4) {
    const value = view.getUint32(index, littleEnd)
    if (value < 0x10000) units[length++] = value
    else if (value > 0x10ffff) units[length++] = NO_CHARACTER
    else {
      units[length++] = 0xd800 + ((value - 0x10000) >> 10)
      units[length++] = 0xdc00 + ((value - 0x10000) & 0x3ff)
    }
  }
  return CHARSETS['utf-16le'].decode(units.subarray(0, length))
}
