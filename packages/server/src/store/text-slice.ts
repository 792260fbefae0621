import { BITS, SIGNED_TOGETHER, SLOTS, type Signatures } from '../domain/signature.ts'

/** A bit per position of a block. */
export type Bits = Uint8Array

/** Where the slice of a slot lies among the bytes of all slices. */
export type Slice = { slot: number; start: number; length: number }

/** Bytes of a place in a list. */
const PLACE_BYTES = 2

/**
 * The slices of all slots that any message of the block uses. A slice has the bits of its slot. Where few are set, it has
 * a list of their places instead, which is shorter: most slots of codes and other random text occur in few messages.
 * Takes a few milliseconds.
 */
export function slicesOf(signatures: Signatures): { slices: Slice[]; bytes: Uint8Array } {
  const words = new Uint16Array(signatures.length / SLOTS)
  const bits = new Uint8Array(words.buffer)
  const bytes = new Uint8Array(signatures.byteLength)
  const slices: Slice[] = []
  let start = 0
  for (let slot = 0; slot < SLOTS; slot++) {
    let end = start
    let isList = true
    for (let word = 0, index = slot; word < words.length; word++, index += SLOTS) {
      const signed = signatures[index]!
      words[word] = signed
      if (signed === 0 || !isList) continue
      for (let left = signed; left !== 0; left &= left - 1) {
        const place = word * SIGNED_TOGETHER + (BIT_OF_FIRST ^ (31 - Math.clz32(left & -left)))
        bytes[end++] = place & 0xff
        bytes[end++] = place >> 8
      }
      isList = end - start < bits.length
    }
    if (end === start) continue
    if (!isList) {
      bytes.set(bits, start)
      end = start + bits.length
    }
    slices.push({ slot, start, length: end - start })
    start = end
  }
  return { slices, bytes: bytes.subarray(0, start) }
}

/** Which bit of a number is that of the first message: another one on machines with another byte order. */
const BIT_OF_FIRST = 31 - Math.clz32(BITS[0]!)

/** Clears the bits that the slice does not have. False if none is left. */
export function keepThoseIn(slice: Uint8Array, bits: Bits): boolean {
  let left = 0
  if (slice.length === bits.length) {
    for (let index = 0; index < bits.length; index++) left |= bits[index]! &= slice[index]!
    return left !== 0
  }
  const kept = new Uint8Array(bits.length)
  for (let index = 0; index < slice.length; index += PLACE_BYTES) {
    const place = slice[index]! | (slice[index + 1]! << 8)
    left |= kept[place >> 3]! |= bits[place >> 3]! & (1 << (place & 7))
  }
  bits.set(kept)
  return left !== 0
}
