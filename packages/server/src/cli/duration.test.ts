import { expect, test } from 'vitest'
import { readDuration } from './duration.ts'

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['30', 30_000],
  ['0', 0],
  ['1.5m', 90_000],
  ['2h', 7_200_000],
  ['14d', 1_209_600_000],
])('%s is %d ms', (text, durationMs) => {
  expect(readDuration(text)).toBe(durationMs)
})

test.each(['', 's', '-1s', '1 week', '1e3', 'Infinity', '15d', '30S'])('%j is refused', (text) => {
  expect(() => readDuration(text)).toThrow('Expected a duration such as')
})
