import { expect, test } from 'vitest'
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
