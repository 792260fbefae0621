import { expect, test } from 'vitest'
import { bytesText, countText, roundAbove, successText } from './usage-text.ts'

test('a count includes the limit if there is one', () => {
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
])('a chart with %d goes up to %d', (count, height) => {
  expect(roundAbove(count)).toBe(height)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1 kB'],
  [2_500_000, '2.5 MB'],
  [123_456_789, '123 MB'],
  [4e15, '4,000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

test.each([
  [[], 'No webhooks'],
  [[{ delivered: 1, failed: 0 }], '100 % of 1 webhook delivered'],
  [
    [
      { delivered: 1_998, failed: 1 },
      { delivered: 1, failed: 0 },
    ],
    '99.9 % of 2,000 webhooks delivered',
  ],
  [[{ delivered: 0, failed: 3 }], '0 % of 3 webhooks delivered'],
])('%j is summarised as: %s', (days, text) => {
  expect(successText(days)).toBe(text)
})
