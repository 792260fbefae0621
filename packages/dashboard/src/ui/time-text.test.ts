import { expect, test } from 'vitest'
import { exactText, relativeText } from './time-text.ts'

/** Local noon, because relativeText uses the local time zone. */
const NOW = new Date(2026, 10, 15, 12).getTime()
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

test.each([
  [0, 'just now'],
  [-59_000, 'just now'],
  [-MINUTE_MS, '1 min. ago'],
  [-59 * MINUTE_MS, '59 min. ago'],
  [-3 * 60 * MINUTE_MS, '3 hr. ago'],
  [-DAY_MS, 'yesterday'],
  [-12 * DAY_MS, '12 days ago'],
  [-31 * DAY_MS, '15 Oct 2026'],
  [30_000, 'in a moment'],
  [14 * DAY_MS - 1, 'in 14 days'],
])('%d ms from now is “%s”', (distance, text) => {
  expect(relativeText(NOW + distance, NOW)).toBe(text)
})

test('the exact time names its zone', () => {
  expect(exactText(Date.parse('2026-11-15T12:00:00Z'), 'utc')).toBe('15 Nov 2026, 12:00:00 UTC')
})
