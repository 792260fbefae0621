import type { SeededRandom } from './seeded-random.ts'

/** Texts that could take more time than their size suggests: a unit repeated to the wanted length. */
export type OddText = { name: string; unit: string }

const SPACES = [' ', '\t', '\n', '\r\n', '\u00a0', '\u3000', '\u200b', ' \u200b']
const DIGITS = ['1', '12', '123456', '1 ', '1-', '1.', '1,', '1\n', '\uff11', '\u0661', '\u0967']
const LETTERS = ['a', 'A', 'A ', 'A1', 'é', '日', 'code', 'Code: ', 'code is ', 'PIN', '\u202e', 'Σ', 'İ', 'Σ\u0301']
const SIGNS = [...Array.from(`-.,:;/\\<>"'=@#$%()[]_+*?|~&`), '&amp', '&#', '&#x41;', '&#x301;&#x316;', '%20']
const ADDRESSES = ['http://', 'https://a.b/', 'www.', 'a.b', 'a@b', 'cid:a']
const MARKUP = ['<a', '<a ', '<a href=', '<a href="x">', '</a>', '<b>', '</', '<!--', '<style>', '<script>', '<td>']
// Of several classes, in an order that has to be sorted, and characters that grow when normalised.
const COMBINING = ['\u0301', '\u0301\u0316', '\u0301\uff9e', '\u05b0\u05c1\u05b0', '\u0f72\u0f71', '\u{1d16d}\u{1d165}']
const STACKED = ['a' + '\u0301\u0316'.repeat(15), '\u1100\u1161\u11a8', '\u1161', '\u314f', '\u0344', '\u{1d160}']
const GROWING = ['\ufdfa', '\u3316', '\ufb2c', '\u1f82', '\u00bd', '\u2026']

export function repeatedPieces(): OddText[] {
  const pieces = [SPACES, DIGITS, LETTERS, SIGNS, ADDRESSES, MARKUP, COMBINING, STACKED, GROWING].flat()
  return pieces.map((unit) => ({ name: shown(unit), unit }))
}

/** Blocks of Unicode start at multiples of 16 and have a multiple of 128 characters, except for a few small ones. */
const ROW = 128
const PLANES = 17

/** The characters of every row of Unicode, in random order. */
export function unicodeRows(random: SeededRandom): OddText[] {
  const rows: OddText[] = []
  for (let start = 0; start < PLANES * 0x10000; start += ROW) {
    const characters = charactersFrom(start)
    if (characters.length > 0) rows.push({ name: `U+${hex(start)}`, unit: shuffled(characters, random).join('') })
  }
  return rows
}

/** Pairs and triples. The row of the first character is drawn first, because most would be Chinese otherwise. */
export function randomCombinations(random: SeededRandom, rows: OddText[], count: number): OddText[] {
  return Array.from({ length: count }, (_, index) => {
    const characters = Array.from({ length: index % 2 === 0 ? 2 : 3 }, () =>
      random.pick(Array.from(random.pick(rows).unit)),
    )
    const unit = characters.join('')
    return { name: shown(unit), unit }
  })
}

/** As many repetitions as fit. */
export function repeatedTo(bytesMax: number, { unit }: OddText): string {
  return unit.repeat(Math.max(1, Math.floor(bytesMax / Buffer.byteLength(unit))))
}

// Assigned characters, without surrogates and private use, which are all alike.
const CHARACTER = /^[\p{Assigned}--[\p{Cs}\p{Co}\p{Cc}]]$/v

function charactersFrom(start: number): string[] {
  const all = Array.from({ length: ROW }, (_, index) => String.fromCodePoint(start + index))
  return all.filter((character) => CHARACTER.test(character))
}

function shuffled(characters: string[], random: SeededRandom): string[] {
  const rest = [...characters]
  return characters.map(() => rest.splice(random.below(rest.length), 1)[0]!)
}

function shown(unit: string): string {
  const codes = Array.from(unit, (character) => `U+${hex(character.codePointAt(0)!)}`)
  return /^[ -~]+$/.test(unit) ? unit : codes.slice(0, 6).join(' ')
}

function hex(codePoint: number): string {
  return codePoint.toString(16).toUpperCase().padStart(4, '0')
}
