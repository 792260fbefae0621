import { expect, test } from 'vitest'
import { parseQueryDate } from './query-dates.ts'

const inZone = (text: string, timeZone: string) => new Date(parseQueryDate(text, timeZone)).toISOString()

test.each([
  ['2026-11-18', '2026-11-18T00:00:00.000Z'],
  ['2026/11/18', '2026-11-18T00:00:00.000Z'],
  ['2026.11.18', '2026-11-18T00:00:00.000Z'],
  ['20261118', '2026-11-18T00:00:00.000Z'],
  ['2026-11', '2026-11-01T00:00:00.000Z'],
  ['2026', '2026-01-01T00:00:00.000Z'],
  ['11/18/2026', '2026-11-18T00:00:00.000Z'],
  ['18 nov 2026', '2026-11-18T00:00:00.000Z'],
  ['november 18 2026 9:05', '2026-11-18T09:05:00.000Z'],
  ['2026-11-18 14:30', '2026-11-18T14:30:00.000Z'],
  ['2026-11-18t14:30:15.5', '2026-11-18T14:30:15.500Z'],
  ['2026-11-18t14:30:15z', '2026-11-18T14:30:15.000Z'],
  ['2026-11-18t14:30:15+02:00', '2026-11-18T12:30:15.000Z'],
  ['1794000000', '2026-11-06T21:20:00.000Z'],
  ['1794000000123', '2026-11-06T21:20:00.123Z'],
])('%s', (text, expected) => {
  expect(inZone(text, 'UTC')).toBe(expected)
})

test('a time without a zone is of the time zone, also when clocks change', () => {
  expect(inZone('2026-11-18', 'Pacific/Auckland')).toBe('2026-11-17T11:00:00.000Z')
  expect(inZone('2026-07-01', 'Europe/Berlin')).toBe('2026-06-30T22:00:00.000Z')
  expect(inZone('2026-03-29 01:59', 'Europe/Berlin')).toBe('2026-03-29T00:59:00.000Z')
  expect(inZone('2026-03-29 03:00', 'Europe/Berlin')).toBe('2026-03-29T01:00:00.000Z')
  expect(inZone('2026-11-18t00:00z', 'Europe/Berlin')).toBe('2026-11-18T00:00:00.000Z')
})

test.each([
  'soon',
  '2026-13-01',
  '2026-02-30',
  '2026-00-10',
  '2026-11-18 25:00',
  '31/12/2026',
  '18 foo 2026',
  '1',
  '',
  '2026-11-18 now',
])('not a date: %s', (text) => {
  expect(() => parseQueryDate(text, 'UTC')).toThrow('is not a date')
})

test('not a time zone', () => {
  expect(() => parseQueryDate('2026-11-18', 'Mars/Base')).toThrow('is not a time zone')
})
