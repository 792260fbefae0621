import { expect, test } from 'vitest'
import { rangeOf } from './visible-rows.ts'

const range = (scrollTop: number, count: number, height = 800) => rangeOf({ scrollTop, height, rowPixels: 80, count })

test.each([
  ['at the top', range(0, 1_000), { first: 0, end: 21 }],
  ['further down', range(8_000, 1_000), { first: 90, end: 121 }],
  ['at the end', range(80 * 1_000 - 800, 1_000), { first: 980, end: 1_000 }],
  ['in a short list', range(0, 3), { first: 0, end: 3 }],
  ['in an empty list', range(0, 0), { first: 0, end: 0 }],
  ['in a list that became shorter', range(80_000, 5), { first: 0, end: 5 }],
  ['in a list without height', range(0, 1_000, 0), { first: 0, end: 11 }],
])('%s', (_, found, expected) => expect(found).toEqual(expected))

test('a long list renders few rows', () => {
  const found = range(80 * 25_000, 50_000)
  expect(found.end - found.first).toBeLessThan(40)
})
