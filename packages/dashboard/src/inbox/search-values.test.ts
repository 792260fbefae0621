import { expect, test } from 'vitest'
import { parseSize, parseTime } from './search-values.ts'

const CLOCK = { now: Date.parse('2026-03-01T12:34:56Z'), isUtc: true }

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026/1/31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T12:05', '2026-01-31T12:05:00.000Z'],
  ['2026-01-31T12:05:07Z', '2026-01-31T12:05:07.000Z'],
  ['today', '2026-03-01T00:00:00.000Z'],
  ['Yesterday', '2026-02-28T00:00:00.000Z'],
  ['30m', '2026-03-01T12:04:56.000Z'],
  ['2h', '2026-03-01T10:34:56.000Z'],
  ['1w', '2026-02-22T12:34:56.000Z'],
])('the time %s is %s', (text, time) => {
  expect(new Date(parseTime(text, CLOCK)!).toISOString()).toBe(time)
})

test.each(['', 'soon', '2026-02-30', '2026-13-01', '2026-01-31T25:00', '31.01.2026', '2x', '-2h'])(
  '%j is not a time',
  (text) => {
    expect(parseTime(text, CLOCK)).toBeNull()
  },
)

test('a day begins in the zone of the reader, a time with Z does not depend on it', () => {
  const local = { ...CLOCK, isUtc: false }
  expect(parseTime('2026-01-31', local)).toBe(new Date(2026, 0, 31).getTime())
  expect(parseTime('today', local)).toBe(new Date(2026, 2, 1).getTime())
  expect(parseTime('2026-01-31T12:00Z', local)).toBe(Date.parse('2026-01-31T12:00:00Z'))
})

test.each([
  ['500', 500],
  ['10k', 10_240],
  ['1.5MB', 1_572_864],
  ['2KiB', 2_048],
  ['1g', 1_073_741_824],
  ['999999999g', Number.MAX_SAFE_INTEGER],
  ['', null],
  ['big', null],
  ['-1', null],
  ['1tb', null],
])('the size %j is %j', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})
