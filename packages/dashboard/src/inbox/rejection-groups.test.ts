import type { Rejection } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { rejectionGroups } from './rejection-groups.ts'

const rejection = (changes: Partial<Rejection> = {}): Rejection => ({
  at: '2026-11-16T12:00:00.000Z',
  from: 'app@shop.example',
  to: 'typo@mailhatch.test',
  code: '550',
  reason: 'No such mailbox',
  ...changes,
})

test('a mail that is rejected again is one entry, with the last time and the number of attempts', () => {
  const newest = rejection({ at: '2026-11-16T12:02:00.000Z' })
  const other = rejection({ to: 'else@mailhatch.test' })
  expect(rejectionGroups([newest, other, rejection()], { seesUnrouted: true })).toEqual([
    { ...newest, count: 2 },
    { ...other, count: 1 },
  ])
})

test.each([{ from: 'x@shop.example' }, { to: 'x@mailhatch.test' }, { code: '552' }, { reason: 'Too large' }])(
  'a rejection with another %j is another entry',
  (change) => {
    expect(rejectionGroups([rejection(), rejection(change)], { seesUnrouted: false })).toHaveLength(2)
  },
)

test.each(['inbox_domain_unknown', 'mailbox_unknown', 'set_aside'])(
  'mail that is stored (%s) is listed once: under undelivered mail if the team sees it there, or else here',
  (code) => {
    const stored = [rejection({ code }), rejection()]
    expect(rejectionGroups(stored, { seesUnrouted: true }).map((group) => group.code)).toEqual(['550'])
    expect(rejectionGroups(stored, { seesUnrouted: false }).map((group) => group.code)).toEqual([code, '550'])
  },
)
