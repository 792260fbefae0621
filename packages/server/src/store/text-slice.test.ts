import { expect, test } from 'vitest'
import { BITS, SIGNED_TOGETHER, SLOTS } from '../domain/signature.ts'
import { keepThoseIn, slicesOf } from './text-slice.ts'

const SIZE = 2_048

/** The signatures of a block in which the messages at these places have the slots. */
function signaturesOf(placesOf: Map<number, number[]>): Uint16Array {
  const signatures = new Uint16Array((SLOTS * SIZE) / SIGNED_TOGETHER)
  for (const [slot, places] of placesOf) {
    for (const place of places) {
      signatures[Math.floor(place / SIGNED_TOGETHER) * SLOTS + slot]! |= BITS[place % SIGNED_TOGETHER]!
    }
  }
  return signatures
}

function bitsOf(places: number[]): Uint8Array {
  const bits = new Uint8Array(SIZE / 8)
  for (const place of places) bits[place >> 3]! |= 1 << (place & 7)
  return bits
}

const every = (step: number) => Array.from({ length: Math.ceil(SIZE / step) }, (_, index) => index * step)

const PLACES = new Map([
  [0, [0]],
  [1, [SIZE - 1]],
  [7, [5, 6, 7, 8, 300, 1_024]],
  // Lists of 126 and 127 places are shorter than the bits, one of 128 is not.
  [100, every(1).slice(0, 126)],
  [101, every(1).slice(-127)],
  [102, every(16)],
  [103, every(3)],
  [SLOTS - 1, every(1)],
])

test('a slice has exactly the places of its slot, as a list where that is shorter', () => {
  const { slices, bytes } = slicesOf(signaturesOf(PLACES))
  expect(slices.map(({ slot }) => slot)).toEqual([...PLACES.keys()])
  expect(slices.map(({ length }) => length)).toEqual([2, 2, 12, 252, 254, 256, 256, 256])
  for (const { slot, start, length } of slices) {
    const kept = new Uint8Array(SIZE / 8).fill(0xff)
    expect(keepThoseIn(bytes.subarray(start, start + length), kept)).toBe(true)
    expect(kept).toEqual(bitsOf(PLACES.get(slot)!))
  }
})

test('what two slices have in common is kept', () => {
  const { slices, bytes } = slicesOf(signaturesOf(PLACES))
  for (const one of slices) {
    for (const two of slices) {
      const bits = bitsOf(PLACES.get(one.slot)!)
      const common = PLACES.get(one.slot)!.filter((place) => PLACES.get(two.slot)!.includes(place))
      expect(keepThoseIn(bytes.subarray(two.start, two.start + two.length), bits)).toBe(common.length > 0)
      expect(bits).toEqual(bitsOf(common))
    }
  }
})
