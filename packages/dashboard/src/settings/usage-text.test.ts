import { expect, test } from 'vitest'
import { countText, roundAbove } from './usage-text.ts'

test('a count says of how many, where there is a limit', () => {
  expect(countText({ used: 3, limit: 10 })).toBe('3 of 10')
  expect(countText({ used: 1234, limit: null })).toBe('1,234')
})

test.each([
  [0, 4],
  [4, 4],
  [5, 10],
  [10, 10],
  [11, 20],
  [101, 200],
  [499, 500],
  [7_001, 10_000],
])('a chart with %d is %d high', (count, height) => {
  expect(roundAbove(count)).toBe(height)
})
