import { randomText } from './random-text.ts'
import type { RandomInt } from './random-text.ts'

const PREFIX = 'mh_'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// 62^30 is 178 bits, which cannot be guessed.
const SECRET_LENGTH = 30
// 62^6 is the first power of 62 above 2^32.
const CHECKSUM_LENGTH = 6

const KEY_SHAPE = /^mh_[0-9A-Za-z]{36}$/

export function newApiKey(random: RandomInt): string {
  const body = PREFIX + randomText({ alphabet: BASE62, length: SECRET_LENGTH }, random)
  return body + checksum(body)
}

/**
 * `valid`: in our format, so it is looked up. `malformed`: in our format but with a wrong checksum, so it is not.
 * `foreign`: not in our format, as a configured bootstrap key may be.
 */
export function checkApiKey(key: string): 'valid' | 'malformed' | 'foreign' {
  if (!KEY_SHAPE.test(key)) return 'foreign'
  return checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH) ? 'valid' : 'malformed'
}

/** A key has at least 20 characters, so a shorter text is something else, such as a password, and is not shown at all. */
export function maskApiKey(key: string): string {
  if (key.length < 20) return '…'
  return `${key.slice(0, 6)}…${key.slice(-4)}`
}

/** The CRC-32 of zip and Ethernet over the UTF-8 bytes of the text. */
export function crc32(text: string): number {
  let crc = 0xffffffff
  for (const byte of new TextEncoder().encode(text)) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % BASE62.length) + digits
    rest = Math.floor(rest / BASE62.length)
  }
  return digits
}
