import type { SeededRandom } from '../support/seeded-random.ts'

type Bytes = [number, number, number, number]

/** Digits that IDNA maps to ASCII: fullwidth, mathematical and circled. There is no circled zero in that block. */
const UNICODE_DIGITS = ['０１２３４５６７８９', '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗', '𝟬𝟭𝟮𝟯𝟰𝟱𝟲𝟳𝟴𝟵', '𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿', '⓪①②③④⑤⑥⑦⑧⑨'].map((digits) =>
  Array.from(digits),
)
const UNICODE_DOTS = ['。', '．', '｡']

/** An IPv4 address as URL parsers accept it: one to four numbers, each decimal, octal or hexadecimal. */
export function spelledV4(random: SeededRandom, bytes: Bytes): string {
  const spelled = numbersOf(bytes, 1 + random.below(4)).map((number) => spelledNumber(random, number))
  const text = spelled.join('.') + (random.chance(0.1) ? '.' : '')
  return random.pick([same, same, inUnicode, withUnicodeDots, inPercent])(random, text)
}

/** The last number holds all bytes that are left: `127.1`, `10.0.258`. */
function numbersOf(bytes: Bytes, count: number): number[] {
  const last = bytes.slice(count - 1).reduce((sum, byte) => sum * 256 + byte, 0)
  return [...bytes.slice(0, count - 1), last]
}

function spelledNumber(random: SeededRandom, number: number): string {
  const zeros = '0'.repeat(random.chance(0.3) ? 1 + random.below(4) : 0)
  return random.pick([
    String(number),
    String(number),
    `0${zeros}${number.toString(8)}`,
    `0x${zeros}${number.toString(16)}`,
    `0X${zeros}${number.toString(16).toUpperCase()}`,
  ])
}

const same = (_: SeededRandom, text: string) => text

function inUnicode(random: SeededRandom, text: string): string {
  const digits = random.pick(UNICODE_DIGITS)
  return text.replaceAll(/\d/g, (digit) => (random.chance(0.6) ? digits[Number(digit)]! : digit))
}

function withUnicodeDots(random: SeededRandom, text: string): string {
  return text.replaceAll('.', () => random.pick(UNICODE_DOTS))
}

function inPercent(random: SeededRandom, text: string): string {
  return text.replaceAll(/./g, (character) =>
    random.chance(0.5) ? `%${character.charCodeAt(0).toString(16).padStart(2, '0')}` : character,
  )
}

/** The IPv6 addresses that lead to an IPv4 address, on this machine or in a translator, relay or tunnel. */
export function leadingToV4(random: SeededRandom, [a, b, c, d]: Bytes): number[] {
  const high = a * 256 + b
  const low = c * 256 + d
  const noise = () => random.below(0x1_0000)
  return random.pick([
    [0, 0, 0, 0, 0, 0xffff, high, low], // mapped
    [0, 0, 0, 0, 0, 0, high, low], // compatible
    [0, 0, 0, 0, 0xffff, 0, high, low], // SIIT
    [0x64, 0xff9b, 0, 0, 0, 0, high, low], // NAT64
    [0x64, 0xff9b, 1, noise(), noise(), noise(), high, low], // NAT64 of a network of its own
    [0x2002, high, low, noise(), 0, 0, 0, 1 + random.below(0xffff)], // 6to4
    [0x2001, 0, noise(), noise(), 0x8000, noise(), high ^ 0xffff, low ^ 0xffff], // Teredo
    [0x2606, 0x4700, noise(), noise(), random.pick([0, 0x200]), 0x5efe, high, low], // ISATAP
  ])
}

/** An IPv6 address in brackets: with or without zeros, in either case, the end as IPv4 if it may be. */
export function spelledV6(random: SeededRandom, groups: number[]): string {
  const tail = random.chance(0.4)
    ? [`${groups[6]! >> 8}.${groups[6]! & 255}.${groups[7]! >> 8}.${groups[7]! & 255}`]
    : []
  const hex = groups.slice(0, tail.length === 0 ? 8 : 6).map((group) => {
    const text = group.toString(16)
    return random.chance(0.3) ? text.padStart(4, '0') : text
  })
  const shortened = random.chance(0.7) ? withoutZeros(random, hex, tail) : [...hex, ...tail].join(':')
  return `[${random.chance(0.3) ? shortened.toUpperCase() : shortened}]`
}

/** One run of zeros becomes `::`, not always the longest. */
function withoutZeros(random: SeededRandom, hex: string[], tail: string[]): string {
  const zeros = hex.flatMap((group, index) => (Number.parseInt(group, 16) === 0 ? [index] : []))
  if (zeros.length === 0) return [...hex, ...tail].join(':')
  const start = random.pick(zeros)
  let end = start + 1
  while (zeros.includes(end)) end++
  return `${hex.slice(0, start).join(':')}::${[...hex.slice(end), ...tail].join(':')}`
}
