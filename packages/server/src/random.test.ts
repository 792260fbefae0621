import { expect, test } from 'vitest'
import { randomSuffix } from './domain/onboarding.ts'
import type { RandomInt } from './domain/random-text.ts'
import { isUuid, uuidTime } from './domain/uuid.ts'
import { newId, newSecret, secureRandom } from './random.ts'

test.each([1, 2, 3, 10, 62, 2 ** 31 + 1, 2 ** 32])('a number below %i', (exclusiveMax) => {
  for (let draw = 0; draw < 200; draw++) {
    const number = secureRandom(exclusiveMax)
    expect(Number.isInteger(number) && number >= 0 && number < exclusiveMax).toBe(true)
  }
})

test('numbers are evenly spread', () => {
  const counts = [0, 0, 0, 0, 0, 0]
  for (let draw = 0; draw < 60_000; draw++) counts[secureRandom(6)]!++
  // 10,000 are expected of each; six standard deviations are 550.
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(550)
})

test('ids differ and begin with their time; secrets differ and fit into a header', () => {
  const at = Date.parse('2026-03-01T12:00:00Z')
  const ids = Array.from({ length: 1_000 }, () => newId(at))
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every((id) => isUuid(id) && uuidTime(id) === at)).toBe(true)
  const secrets = Array.from({ length: 100 }, newSecret)
  expect(new Set(secrets).size).toBe(secrets.length)
  expect(secrets.every((secret) => /^[\w-]{43}$/.test(secret))).toBe(true)
})

/** The distribution of the characters of 36,000 suffixes. A uniform source exceeds 89.9 once in a million runs. */
function chiSquare(random: RandomInt): number {
  const counts = new Map<string, number>()
  for (let draw = 0; draw < 36_000; draw++) {
    const suffix = randomSuffix(random)
    if (!/^[a-z0-9]{4}$/.test(suffix)) throw new Error(`${suffix} is no suffix`)
    for (const character of suffix) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  const expected = (36_000 * 4) / 36
  return counts.values().reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

test('limit: random suffixes are spread evenly over all 36 characters', () => {
  // Of the chi-square distribution with 35 degrees of freedom, for p = 1e-6.
  const critical = 89.9
  expect(chiSquare(secureRandom)).toBeLessThan(critical)
  // Bytes modulo 36: the first four characters are slightly more frequent.
  let byte = 0
  const uneven: RandomInt = (exclusiveMax) => (byte++ % 256) % exclusiveMax
  expect(chiSquare(uneven)).toBeGreaterThan(critical)
})
