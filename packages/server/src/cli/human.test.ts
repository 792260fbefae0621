import { expect, test } from 'vitest'
import { ageText, dateText, durationText, senderText, sizeText } from './human.ts'

const NOW = new Date(2026, 10, 16, 14, 30)

test.each([
  [new Date(2026, 10, 16, 9, 5), '09:05'],
  [new Date(2026, 10, 15, 23, 59), 'Sun 23:59'],
  [new Date(2026, 10, 10, 14, 29), '10 Nov 14:29'],
  [new Date(2026, 0, 3, 0, 0), '3 Jan 00:00'],
  [new Date(2025, 10, 16, 14, 30), '16 Nov 2025'],
  [new Date(2026, 10, 17, 8, 0), '17 Nov 08:00'],
])('%s is shown as %s', (at, text) => {
  expect(dateText(at.getTime(), NOW)).toBe(text)
  expect(dateText(at.toISOString(), NOW)).toBe(text)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1 kB'],
  [1_440, '1.4 kB'],
  [9_960, '10 kB'],
  [999_499, '999 kB'],
  [999_999, '1 MB'],
  [26_214_400, '26 MB'],
  [5e15, '5000 TB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})

test.each([
  [-5_000, '0 seconds'],
  [1_999, '1 second'],
  [179_000, '2 minutes'],
  [47 * 3_600_000, '47 hours'],
  [48 * 3_600_000, '2 days'],
])('an age of %d ms is %s', (ms, text) => {
  expect(ageText(ms)).toBe(text)
})

test('durations as they are typed', () => {
  expect([300, 30_000, 1_500, 120_000, 0].map(durationText)).toEqual(['300 ms', '30 s', '1500 ms', '2 min', '0 s'])
})

test('senders with their name', () => {
  const texts = [
    senderText({ from: 'app@shop.example', fromName: 'The Shop' }),
    senderText({ from: 'app@shop.example', fromName: null }),
    senderText({ from: '', fromName: 'The Shop' }),
    senderText({ from: 'app@shop.example', fromName: ' ' }),
  ]
  expect(texts).toEqual(['The Shop <app@shop.example>', 'app@shop.example', 'The Shop', 'app@shop.example'])
})
