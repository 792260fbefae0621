import { expect, test } from 'vitest'
import { randomCombinations, repeatedPieces, unicodeRows } from '../support/odd-texts.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { longestHolds, type Held } from './odd-text.ts'
import { growthOf, RATIO_MAX, walkIn, WORKS, type Growth, type Work } from './text-growth.ts'

const SEED = Number(process.env['ODD_TEXT_SEED'] ?? Date.now() % 1_000_000)
/** One in this many texts is tested, and which: a full run can be split. */
const ONE_OF = Number(process.env['ODD_TEXT_ONE_OF'] ?? 1)
const PART = Number(process.env['ODD_TEXT_PART'] ?? 0)
const KIB = 1024
const BYTES = 128 * KIB
const MS_MAX = 200
const COMBINATIONS = 2_000
/** One in this many characters is compared with the others: about 10 ms for a text of 128 KiB. */
const PAIRS_STEP = 32
/** Half an hour on an idle machine. */
const GROWTH_MS_MAX = 2 * 60 * 60_000

const random = seededRandom(SEED)
const rows = unicodeRows(random)
const all = [...repeatedPieces(), ...rows, ...randomCombinations(random, rows, COMBINATIONS)]
const texts = all.filter((_, index) => index % ONE_OF === PART)

test(`${texts.length} texts of 128 KiB in every place of a mail block nothing for 200 ms (seed ${SEED})`, async () => {
  const holds: Held[] = []
  for (const odd of texts) holds.push(...(await longestHolds(odd, BYTES, MS_MAX)))
  const largest = holds.reduce((one, other) => (other.ms > one.ms ? other : one))
  console.info(`ODD_TEXT_SEED=${SEED}: ${holds.length} mails, largest hold`, JSON.stringify(largest))
  expect(holds.filter(({ ms }) => ms > MS_MAX)).toEqual([])
})

const QUADRATIC: [string, string, Work, number][] = [
  ['normalising a run whole', '\u0301\u0316', (text) => () => text.normalize('NFKC'), 8 * KIB],
  ['a walk that also compares pairs', 'code ', walkAndCompare, BYTES],
]

function walkAndCompare(text: string): () => Promise<unknown> {
  const walk = walkIn('text')(text)
  return async () => {
    await walk()
    let alike = 0
    for (let one = 0; one < text.length; one += PAIRS_STEP) {
      for (let other = 0; other < text.length; other += PAIRS_STEP) {
        if (text.charCodeAt(one) === text.charCodeAt(other)) alike++
      }
    }
    return alike
  }
}

test.each(QUADRATIC)('control: the measurement detects quadratic cost: %s', async (name, unit, work, bytes) => {
  const growth = await growthOf({ name: unit, unit }, { name, bytes, work })
  console.info(JSON.stringify(growth))
  expect(growth.ratio).toBeGreaterThan(RATIO_MAX)
})

test(
  `twice the text takes at most ${RATIO_MAX} times as long (seed ${SEED})`,
  async () => {
    const growths: Growth[] = []
    for (const odd of texts) {
      for (const work of WORKS) growths.push(await growthOf(odd, work))
    }
    const largest = growths.reduce((one, other) => (other.ratio > one.ratio ? other : one))
    console.info(`ODD_TEXT_SEED=${SEED}: ${growths.length} comparisons, largest ratio`, JSON.stringify(largest))
    expect(growths.filter(({ ratio }) => ratio > RATIO_MAX)).toEqual([])
  },
  GROWTH_MS_MAX,
)
