import { expect, test } from 'vitest'
import { learnServerTime, offsetFrom, serverNow } from './server-time.ts'

const NOW = Date.parse('2026-11-16T12:00:00Z')

test.each([
  [null, null],
  ['yesterday', null],
  ['Mon, 16 Nov 2026 12:00:04 GMT', 0],
  ['Mon, 16 Nov 2026 11:59:56 GMT', 0],
  ['Mon, 16 Nov 2026 12:07:00 GMT', 7 * 60_000],
  ['Mon, 16 Nov 2026 09:00:00 GMT', -3 * 3_600_000],
])('a response with the date %s means an offset of %s', (date, offset) => {
  expect(offsetFrom(date, NOW)).toBe(offset)
})

test('the time follows the clock of the server, also when it is corrected', () => {
  const answerAt = (at: number) => new Response(null, { headers: { date: new Date(at).toUTCString() } })
  const aheadMinutes = () => Math.round((serverNow() - Date.now()) / 60_000)
  learnServerTime(answerAt(Date.now() + 3_600_000))
  expect(aheadMinutes()).toBe(60)
  learnServerTime(new Response(null))
  expect(aheadMinutes()).toBe(60)
  learnServerTime(answerAt(Date.now()))
  expect(aheadMinutes()).toBe(0)
})
