import { SLOTS, type Signatures } from '../domain/signature.ts'

/** A bit per position of a block. */
export type Bits = Uint8Array

/** Where the slice of a slot lies among the bytes of all slices. */
export type Slice = { slot: number; start: number; length: number }

/** Bytes of a place in a list. */
const PLACE_BYTES = 2

/**
 * The slices of all slots that any message of the block uses. A slice has the bits of its slot. Where few are set, it has
 * a list of their places instead, which is shorter: most slots of codes and other random text occur in few messages.
 * Takes about two milliseconds.
 */
export function slicesOf(signatures: Signatures): { slices: Slice[]; bytes: Uint8Array } {
  const words = new Uint16Array(signatures.length / SLOTS)
  const bits = new Uint8Array(words.buffer)
  const bytes = new Uint8Array(signatures.byteLength)
  const slices: Slice[] = []
  let start = 0
  for (let slot = 0; slot < SLOTS; slot++) {
    let any = 0
    let word = 0
    for (let index = slot; index < signatures.length; index += SLOTS) any |= words[word++] = signatures[index]!
    if (any === 0) continue
    const length = writeSlice(bytes.subarray(start, start + bits.length), bits)
    slices.push({ slot, start, length })
    start += length
  }
  return { slices, bytes: bytes.subarray(0, start) }
}

/** Returns its length. */
function writeSlice(into: Uint8Array, bits: Bits): number {
  let length = 0
  for (let index = 0; index < bits.length; index++) {
    for (let byte = bits[index]!; byte !== 0; byte &= byte - 1) {
      if (length + PLACE_BYTES >= bits.length) {
        into.set(bits)
        return bits.length
      }
      const place = index * 8 + 31 - Math.clz32(byte & -byte)
      into[length++] = place & 0xff
      into[length++] = place >> 8
    }
  }
  return length
}

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
