import { base64Value } from './transfer-encoding.ts'

const PLUS = 0x2b
const MINUS = 0x2d

const utf16le = new TextDecoder('utf-16le', { ignoreBOM: true })

/**
 * UTF-7 (RFC 2152): UTF-16 in base64 between `+` and `-` or another character that is not a digit. `+-` is a plus sign.
 */
export function decodeUtf7(bytes: Uint8Array): string {
  // A UTF-16 unit takes more than two bytes of input, any other character one.
  const units = new Uint16Array(bytes.length)
  let length = 0
  let index = 0
  while (index < bytes.length) {
    const byte = bytes[index++]!
    if (byte !== PLUS) {
      units[length++] = byte
      continue
    }
    if (bytes[index] === MINUS) {
      units[length++] = PLUS
      index++
      continue
    }
    const start = index
    let bits = 0
    let bitCount = 0
    for (; index < bytes.length; index++) {
      const value = base64Value(bytes[index]!)
      if (value < 0) break
      bits = ((bits << 6) | value) & 0x3fffff
      bitCount += 6
      if (bitCount < 16) continue
      bitCount -= 16
      units[length++] = (bits >> bitCount) & 0xffff
    }
    // A plus sign without base64 after it is literal.
    if (index === start) units[length++] = PLUS
    else if (bytes[index] === MINUS) index++
  }
  return utf16le.decode(units.subarray(0, length))
}
