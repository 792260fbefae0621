import { expect, test } from 'vitest'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { parseMailDate } from './mail-date.ts'

const iso = (field: string) => {
  const at = parseMailDate(field)
  return at === null ? null : new Date(at).toISOString()
}

test.each([
  ['Mon, 16 Nov 2026 13:42:56 +0100', '2026-11-16T12:42:56.000Z'],
  ['Mon, 16 Nov 2026 13:42:56 +0000 (UTC)', '2026-11-16T13:42:56.000Z'],
  ['16 Nov 2026 13:42 -0530', '2026-11-16T19:12:00.000Z'],
  ['mon,  16   NOV 26 13:42:56 gmt', '2026-11-16T13:42:56.000Z'],
  ['Mon, 16 November 2026 13:42:56 EST', '2026-11-16T18:42:56.000Z'],
  ['Sat, 1 Jan 94 00:00:00 Z', '1994-01-01T00:00:00.000Z'],
  ['1 Jan 102 00:00:00 +0000', '2002-01-01T00:00:00.000Z'],
  ['Thu, 31 Dec 2026 23:59:60 +0000', '2026-12-31T23:59:59.000Z'],
  ['Mon, 16 Nov 2026 13:42:56', '2026-11-16T13:42:56.000Z'],
  ['Mon, 16 Nov 2026 13:42:56 Europe', '2026-11-16T13:42:56.000Z'],
  ['Thu, 29 Feb 2024 12:00:00 +01:00', '2024-02-29T11:00:00.000Z'],
  ['2026-11-16T13:42:56+01:00', '2026-11-16T12:42:56.000Z'],
])('%s is %s', (field, time) => {
  expect(iso(field)).toBe(time)
})

test.each([
  '',
  'yesterday',
  'Mon, 30 Feb 2026 12:00:00 +0000',
  'Mon, 16 Foo 2026 12:00:00 +0000',
  'Mon, 16 Nov 2026 25:00:00 +0000',
  'Mon, 16 Nov 2026 12:61:00 +0000',
  'Mon, 16 Nov 2026 12:00:00 +9900',
  'Fri, 31 Dec 9999 23:00:00 -0500',
  'Sat, 1 Jan 0000 00:00:00 +0500',
  '2026-11-16',
  `Mon, 16 Nov 2026 13:42:56 +0100 (${'x'.repeat(300)})`,
])('“%s” is not a date', (field) => {
  expect(iso(field)).toBeNull()
})

const SEED = 20_261_116

test(`every time is read back from the form that programs write (seed ${SEED})`, () => {
  const random = seededRandom(SEED)
  for (let count = 0; count < 500; count++) {
    const at = random.below(4e9) * 1000
    const minutes = (random.below(28) - 13) * 60 + random.pick([0, 30, 45])
    const sign = minutes < 0 ? '-' : '+'
    const size = Math.abs(minutes)
    const zone = `${sign}${String(Math.floor(size / 60)).padStart(2, '0')}${String(size % 60).padStart(2, '0')}`
    const field = new Date(at + minutes * 60_000).toUTCString().replace('GMT', zone)
    expect(parseMailDate(field), field).toBe(at)
  }
})
