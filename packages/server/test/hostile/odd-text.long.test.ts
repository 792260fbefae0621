import { expect, test } from 'vitest'
import { randomCombinations, repeatedPieces, unicodeRows } from '../support/odd-texts.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { growth, heldTooLong, RATIO_MAX, type Held } from './odd-text.ts'

const SEED = Number(process.env['ODD_TEXT_SEED'] ?? Date.now() % 1_000_000)
const BYTES = 128 * 1024
const MS_MAX = 200
const COMBINATIONS = 2_000

const random = seededRandom(SEED)
const rows = unicodeRows(random)
const texts = [...repeatedPieces(), ...rows, ...randomCombinations(random, rows, COMBINATIONS)]

test(`${texts.length} texts of 128 KiB in every place of a mail hold nobody up for 200 ms (seed ${SEED})`, async () => {
  console.info(`ODD_TEXT_SEED=${SEED}`)
  const held: Held[] = []
  for (const odd of texts) held.push(...(await heldTooLong(odd, BYTES, MS_MAX)))
  expect(held).toEqual([])
})

test(`twice the text takes at most ${RATIO_MAX} times as long (seed ${SEED})`, async () => {
  const slow: { text: string; place: string; ratio: number }[] = []
  for (const odd of texts) {
    for (const { place, ratio } of await growth(odd, BYTES)) {
      if (ratio > RATIO_MAX) slow.push({ text: odd.name, place, ratio })
    }
  }
  expect(slow).toEqual([])
})
