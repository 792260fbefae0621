import type { SeededRandom } from '../support/seeded-random.ts'

/** The first bytes (IPv4) or groups (IPv6) of a range, and how many of its bits are fixed. */
type Range = [start: number[], fixedBits: number]

/** IANA's registry of special-purpose IPv4 addresses, as far as they are not globally reachable, multicast and clouds. */
export const SPECIAL_V4: Range[] = [
  [[0], 8], // this network
  [[10], 8], // private
  [[100, 64], 10], // carrier-grade NAT
  [[127], 8], // loopback
  [[169, 254], 16], // link-local
  [[172, 16], 12], // private
  [[192, 0, 0], 24], // protocol assignments
  [[192, 0, 2], 24], // documentation
  [[192, 88, 99], 24], // 6to4 relays
  [[192, 168], 16], // private
  [[198, 18], 15], // benchmarks
  [[198, 51, 100], 24], // documentation
  [[203, 0, 113], 24], // documentation
  [[224], 4], // multicast
  [[240], 4], // reserved
  [[0, 0, 0, 0], 32],
  [[127, 0, 0, 1], 32],
  [[255, 255, 255, 255], 32],
  [[169, 254, 169, 254], 32], // metadata of most clouds
  [[100, 100, 100, 200], 32], // metadata of Alibaba Cloud
  [[168, 63, 129, 16], 32], // platform services of Azure
]

/** The same for IPv6, and ranges that are not assigned. */
export const SPECIAL_V6: Range[] = [
  [[0, 0, 0, 0, 0, 0, 0, 1], 128], // loopback
  [[0, 0, 0, 0, 0, 0, 0, 0], 128], // unspecified
  [[0x64, 0xff9b], 96], // NAT64
  [[0x64, 0xff9b, 1], 48], // NAT64 of a network of its own
  [[0x100], 64], // discard
  [[0x100, 0, 0, 1], 64], // dummy prefix
  [[0x2001], 23], // protocol assignments
  [[0x2001, 0], 32], // Teredo
  [[0x2001, 2], 48], // benchmarks
  [[0x2001, 0x20], 28], // ORCHID
  [[0x2001, 0xdb8], 32], // documentation
  [[0x2002], 16], // 6to4
  [[0x3fff], 20], // documentation
  [[0x5f00], 16], // segment routing
  [[0xfc00], 7], // unique local
  [[0xfe80], 10], // link-local
  [[0xfec0], 10], // site-local, deprecated
  [[0xff00], 8], // multicast
  [[0x4000], 3], // not assigned
  [[0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128], // metadata of AWS
]

/** An address of the range: its first, its last or any other. */
export function bytesIn(random: SeededRandom, range: Range): [number, number, number, number] {
  const [a = 0, b = 0, c = 0, d = 0] = partsIn(random, range, { count: 4, bits: 8 })
  return [a, b, c, d]
}

export function groupsIn(random: SeededRandom, range: Range): number[] {
  return partsIn(random, range, { count: 8, bits: 16 })
}

function partsIn(random: SeededRandom, [start, fixedBits]: Range, { count, bits }: { count: number; bits: number }) {
  const size = 2 ** bits
  const fill = random.pick([() => 0, () => size - 1, () => random.below(size), () => random.below(size)])
  return Array.from({ length: count }, (_, index) => {
    const free = 2 ** (bits - Math.min(bits, Math.max(0, fixedBits - index * bits)))
    return (start[index] ?? 0) + (fill() % free)
  })
}
