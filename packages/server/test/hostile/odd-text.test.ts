import { expect, test } from 'vitest'
import { randomCombinations, repeatedPieces, unicodeRows, type OddText } from '../support/odd-texts.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { longestHolds, type Held } from './odd-text.ts'

const SEED = Number(process.env['ODD_TEXT_SEED'] ?? 1)
const BYTES = 128 * 1024
/** Each step takes less than 30 ms on an idle machine. In quadratic time, a text would take seconds. */
const MS_MAX = 600
/** The long form has all of them. */
const REPEATED = 12
const ROWS = 12
const COMBINATIONS = 12

const random = seededRandom(SEED)
const rows = unicodeRows(random)

test.each<[kind: string, texts: () => OddText[]]>([
  [`that repeats one of ${REPEATED} pieces`, () => evenly(repeatedPieces(), REPEATED)],
  [`of ${ROWS} blocks of Unicode`, () => Array.from({ length: ROWS }, () => random.pick(rows))],
  [`of ${COMBINATIONS} pairs and triples`, () => randomCombinations(random, rows, COMBINATIONS)],
])(`128 KiB of text %s block nothing, in any place of a mail (seed ${SEED})`, async (_, texts) => {
  const held: Held[] = []
  for (const odd of texts()) {
    held.push(...(await longestHolds(odd, BYTES, MS_MAX)).filter(({ ms }) => ms > MS_MAX))
    // One is enough to fail, and more would take minutes.
    if (held.length > 0) break
  }
  expect(held).toEqual([])
})

/** Some from every part of the list. */
function evenly<Item>(items: Item[], count: number): Item[] {
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]!)
}

test('the generator covers Unicode', () => {
  const characters = new Set(rows.flatMap(({ unit }) => Array.from(unit)))
  expect(rows.length).toBeGreaterThan(1_000)
  for (const character of 'aé\u0301\u05b0\u0f72ガ日가\uff9e\ufdfa😀\u{1d165}\u{2a6d6}')
    expect(characters).toContain(character)
})
