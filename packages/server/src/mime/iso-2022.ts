// Seven-bit charsets that switch between ASCII and others by escape sequences. The text is converted to EUC and then
// decoded in one call, however often it switches.

const ESCAPE = 0x1b
const LF = 0x0a
const TILDE = 0x7e
const SHIFT_OUT = 0x0e
const SHIFT_IN = 0x0f

// How the following bytes are written in EUC: unchanged, or with the high bit set after a prefix.
type Set = { width: 1 | 2; prefix: number; isShifted: boolean }

const ASCII: Set = { width: 1, prefix: 0, isShifted: false }
const DOUBLE: Set = { width: 2, prefix: 0, isShifted: true }
const KATAKANA: Set = { width: 1, prefix: 0x8e, isShifted: true }
const SUPPLEMENT: Set = { width: 2, prefix: 0x8f, isShifted: true }

const JAPANESE = new Map<string, Set>([
  ['(B', ASCII],
  ['(J', ASCII],
  ['(H', ASCII],
  ['(I', KATAKANA],
  ['$@', DOUBLE],
  ['$B', DOUBLE],
  ['$(@', DOUBLE],
  ['$(B', DOUBLE],
  ['$(Q', DOUBLE],
  ['$(O', DOUBLE],
  ['$(D', SUPPLEMENT],
])

const eucJp = new TextDecoder('euc-jp')

/** ISO-2022-JP and its extensions. The state ends with the line (RFC 1468), so that an error ends there too. */
export function decodeIso2022Jp(bytes: Uint8Array): string {
  // With a prefix, two bytes become three, and one becomes two.
  const euc = new Uint8Array(2 * bytes.length)
  let length = 0
  let set = ASCII
  let index = 0
  while (index < bytes.length) {
    const byte = bytes[index]!
    const sequence = byte === ESCAPE ? findSequence(bytes, index + 1) : null
    if (sequence) {
      set = JAPANESE.get(sequence)!
      index += 1 + sequence.length
      continue
    }
    if (byte === LF) set = ASCII
    const isWhole = byte > 0x20 && byte < 0x7f && index + set.width <= bytes.length
    if (set.isShifted && isWhole) {
      if (set.prefix !== 0) euc[length++] = set.prefix
      for (let end = index + set.width; index < end; index++) euc[length++] = bytes[index]! | 0x80
      continue
    }
    if (!(set.isShifted && byte > 0x20 && byte < 0x7f)) euc[length++] = byte
    index++
  }
  return eucJp.decode(euc.subarray(0, length))
}

function findSequence(bytes: Uint8Array, start: number): string | null {
  // `$` or `(`
  if (bytes[start] !== 0x24 && bytes[start] !== 0x28) return null
  const two = String.fromCharCode(bytes[start] ?? 0, bytes[start + 1] ?? 0)
  if (JAPANESE.has(two)) return two
  const three = two + String.fromCharCode(bytes[start + 2] ?? 0)
  return JAPANESE.has(three) ? three : null
}

/** Whether the bytes contain an escape to Japanese, which rarely occurs in anything else. */
export function isIso2022Jp(bytes: Uint8Array): boolean {
  for (let escape = bytes.indexOf(ESCAPE); escape >= 0; escape = bytes.indexOf(ESCAPE, escape + 1)) {
    const sequence = findSequence(bytes, escape + 1)
    if (sequence !== null && JAPANESE.get(sequence) !== ASCII) return true
  }
  return false
}

/** Converts ISO-2022-KR and -CN to EUC: bytes between SO and SI on a line get their high bit set. */
export function shiftToEuc(bytes: Uint8Array): Uint8Array {
  const euc = new Uint8Array(bytes.length)
  let length = 0
  let isShifted = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!
    if (byte === SHIFT_OUT || byte === SHIFT_IN) {
      isShifted = byte === SHIFT_OUT
      continue
    }
    if (byte === ESCAPE && bytes[index + 1] === 0x24 && (bytes[index + 2] === 0x29 || bytes[index + 2] === 0x2a)) {
      index += 3
      continue
    }
    if (byte === LF) isShifted = false
    euc[length++] = isShifted && byte > 0x20 && byte < 0x7f ? byte | 0x80 : byte
  }
  return euc.subarray(0, length)
}

/**
 * Converts HZ (RFC 1843) to EUC: bytes between `~{` and `~}` get their high bit set. `~~` is a tilde, and `~` with the
 * line break after it is dropped.
 */
export function hzToEuc(bytes: Uint8Array): Uint8Array {
  const euc = new Uint8Array(bytes.length)
  let length = 0
  let isShifted = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!
    const next = bytes[index + 1]
    if (byte === TILDE && (next === 0x7b || next === 0x7d || next === LF || (next === TILDE && !isShifted))) {
      if (next === TILDE) euc[length++] = TILDE
      else if (next !== LF) isShifted = next === 0x7b
      index++
      continue
    }
    if (byte === LF) isShifted = false
    euc[length++] = isShifted && byte > 0x20 && byte < 0x7f ? byte | 0x80 : byte
  }
  return euc.subarray(0, length)
}
