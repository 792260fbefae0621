import { expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/seeded-random.ts'
import { workMs } from '../../../test/support/work-time.ts'
import { decodePercent } from './decode-percent.ts'

test.each([
  ['a%40b', 'a@b'],
  ['%C3%A9%e2%82%ac%F0%9F%98%80', 'é€😀'],
  ['50%', '50%'],
  ['%4', '%4'],
  ['%zz%41', '%zzA'],
  ['%ff%41%C3', '%ffA%C3'],
  ['%C3%28', '%C3('],
  ['%ed%a0%80', '%ed%a0%80'],
  ['%c0%80%e0%80%80%f0%80%80%80%f4%90%80%80', '%c0%80%e0%80%80%f0%80%80%80%f4%90%80%80'],
  ['%E2%82%41', '%E2%82A'],
])('%s becomes %s', (encoded, decoded) => expect(decodePercent(encoded)).toBe(decoded))

const SEED = Date.now() % 1_000_000

test(`random bytes are decoded as by decodeURIComponent, where it does not throw (seed ${SEED})`, () => {
  const random = seededRandom(SEED)
  const bytes = [
    '41',
    '7f',
    '80',
    '8f',
    '90',
    '9f',
    'A0',
    'bf',
    'c0',
    'c2',
    'DF',
    'e0',
    'e1',
    'ed',
    'ef',
    'f0',
    'f4',
    'f5',
  ]
  const wrong: string[] = []
  let valid = 0
  for (let count = 0; count < 20_000; count++) {
    const encoded = Array.from({ length: 1 + random.below(4) }, () => `%${random.pick(bytes)}`).join('')
    const decoded = decodePercent(encoded)
    const expected = decodedOrNull(encoded)
    if (expected !== null) valid++
    // What could not be decoded as a whole still contains a byte that is not part of a character.
    if (expected === null ? !/%[89a-f]/i.test(decoded) : decoded !== expected) wrong.push(encoded)
  }
  expect(wrong).toEqual([])
  expect(valid).toBeGreaterThan(500)
})

function decodedOrNull(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}

test('many invalid sequences take no more time than valid ones', () => {
  // An exception for each would take about 500 ms.
  const work = () => {
    for (let count = 0; count < 60_000; count++) decodePercent('%')
  }
  expect(workMs(work)).toBeLessThan(150)
  expect(decodePercent('%41'.repeat(100_000))).toBe('A'.repeat(100_000))
})
