import { expect, test } from 'vitest'
import { seededRandom } from '../../../server/test/support/seeded-random.ts'
import { exactText, pastText, relativeText } from './time-text.ts'

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

test.each([0, 1, 30_000, MINUTE_MS, 3 * 60 * MINUTE_MS, 12 * DAY_MS, 400 * DAY_MS])(
  'what happened %d ms “in the future” happened just now',
  (distance) => {
    expect(pastText(NOW + distance, NOW)).toBe('just now')
  },
)

test('what has happened reads the same, and never as the future', () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const random = seededRandom(seed)
  for (let count = 0; count < 500; count++) {
    const distance = random.below(40 * DAY_MS)
    expect(pastText(NOW - distance, NOW), `seed ${seed}`).toBe(relativeText(NOW - distance, NOW))
    expect(pastText(NOW + distance, NOW), `seed ${seed}`).not.toMatch(/^in |tomorrow/)
  }
})

test('the exact time names its zone', () => {
  expect(exactText(Date.parse('2026-11-15T12:00:00Z'), 'utc')).toBe('15 Nov 2026, 12:00:00 UTC')
})
