import { expect, test } from 'vitest'
import { createKeyChecks } from './key-checks.ts'

const KEY = { keyId: 'k1', keyHash: 'h1' }
const ROTATED = { keyId: 'k1', keyHash: 'h2' }

/** Checks with a clock that the test sets. */
function startChecks() {
  const clock = { at: 10_000 }
  return { clock, checks: createKeyChecks(() => clock.at) }
}

test('limit: a key is fresh for a second after the database was asked, for any of its requests', () => {
  const { clock, checks } = startChecks()
  expect(checks.isFresh(KEY)).toBe(false)
  checks.passed('h1', 10_000)
  clock.at = 10_999
  expect(checks.isFresh(KEY)).toBe(true)
  clock.at = 11_000
  expect(checks.isFresh(KEY)).toBe(false)
  checks.passed('h1', 11_000)
  expect(checks.isFresh(KEY)).toBe(true)
})

test('a key that has ended is not fresh, and an answer that was asked for before does not change that', () => {
  const { clock, checks } = startChecks()
  checks.passed('h1', 10_000)
  clock.at = 10_100
  checks.ended('k1')
  expect(checks.isFresh(KEY)).toBe(false)
  checks.passed('h1', 10_050)
  expect(checks.isFresh(KEY)).toBe(false)
  // In the same millisecond, either may have come first.
  checks.passed('h1', 10_100)
  expect(checks.isFresh(KEY)).toBe(false)
})

test('of a rotated key, only the new one is fresh', () => {
  const { clock, checks } = startChecks()
  checks.passed('h1', 10_000)
  clock.at = 10_100
  checks.ended('k1')
  clock.at = 10_101
  checks.passed('h2', 10_101)
  expect(checks.isFresh(ROTATED)).toBe(true)
  expect(checks.isFresh(KEY)).toBe(false)
})
