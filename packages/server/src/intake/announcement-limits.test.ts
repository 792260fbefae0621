import type { Announcement } from '@mailhatch/sdk'
import { describe, expect, test } from 'vitest'
import { announcement } from '../../test/support/announce.ts'
import { workMs } from '../../test/support/work-time.ts'
import { readAnnouncement } from './announcement.ts'

const KIB = 1024
const MIB = 1024 * KIB

const read = (fields: Partial<Announcement>) => readAnnouncement(announcement(fields), 'mailhatch.test')

const ATTACHMENT = { index: 0, filename: 'a', contentType: 'text/plain', size: 1, contentId: 'b', inline: false }
const ENVELOPE = { mailFrom: 'a', rcptTo: 'b', helo: null, remoteAddress: null, tls: false, receivedVia: 'smtp' }

describe.each<{ name: string; max: number; fields: (text: string) => Partial<Announcement> }>([
  { name: 'text', max: MIB, fields: (plainContent) => ({ plainContent }) },
  { name: 'HTML', max: MIB, fields: (rawContent) => ({ rawContent }) },
  { name: 'subject', max: 8 * KIB, fields: (subject) => ({ subject }) },
  { name: 'from', max: 2 * KIB, fields: (from) => ({ from }) },
  { name: 'to', max: 2 * KIB, fields: (to) => ({ to }) },
  { name: 'header', max: 64 * KIB, fields: (value) => ({ headers: [{ name: 'X', value }] }) },
  { name: 'header name', max: 64 * KIB, fields: (name) => ({ headers: [{ name, value: '' }] }) },
  { name: 'filename', max: 255, fields: (filename) => ({ attachments: [{ ...ATTACHMENT, filename }] }) },
  { name: 'content type', max: 255, fields: (contentType) => ({ attachments: [{ ...ATTACHMENT, contentType }] }) },
  { name: 'helo', max: 2 * KIB, fields: (helo) => ({ envelope: { ...ENVELOPE, helo } }) },
])('$name', ({ max, fields }) => {
  test.each([-1, 0])('a value as long as the limit and %i is kept', (difference) => {
    const given = fields('x'.repeat(max + difference))
    expect(read({ ...given, parse: 'complete' })).toMatchObject({ ...given, parse: 'complete' })
  })

  test.each([1, 10_000])('a value longer by %i is truncated, and the message says so', (difference) => {
    const cut = read({ ...fields('x'.repeat(max + difference)), parse: 'complete' })
    expect(cut).toMatchObject({ ...fields('x'.repeat(max)), parse: 'partial' })
  })
})

test('text is truncated by its bytes, between characters', () => {
  expect(read({ plainContent: 'é'.repeat(MIB) }).plainContent).toBe('é'.repeat(MIB / 2))
  expect(read({ plainContent: `x${'😀'.repeat(MIB)}` }).plainContent).toBe(`x${'😀'.repeat(MIB / 4 - 1)}`)
})

test('a content id that is too long is dropped, because a truncated one could match another part', () => {
  const contentIdOf = (contentId: string) => read({ attachments: [{ ...ATTACHMENT, contentId }] }).attachments
  expect(contentIdOf('x'.repeat(255))).toMatchObject([{ contentId: 'x'.repeat(255) }])
  expect(contentIdOf('x'.repeat(256))).toMatchObject([{ contentId: null }])
})

test('a thousand headers and as many attachments as a mail can have are kept', () => {
  const many = (count: number) =>
    read({
      headers: Array.from({ length: count }, () => ({ name: 'X', value: 'y' })),
      attachments: Array.from({ length: count }, (_, index) => ({ ...ATTACHMENT, index })),
      parse: 'complete',
    })
  expect(many(1_000)).toMatchObject({ headers: { length: 1_000 }, attachments: { length: 1_000 }, parse: 'complete' })
  expect(many(1_002)).toMatchObject({ headers: { length: 1_000 }, attachments: { length: 1_001 }, parse: 'partial' })
})

test('all headers together have the limit of a header block', () => {
  const value = 'x'.repeat(60 * KIB)
  const headers = Array.from({ length: 100 }, () => ({ name: 'X', value }))
  const kept = read({ headers })
  expect(kept.headers).toHaveLength(5)
  expect(kept.parse).toBe('partial')
})

test('mail that could not be parsed stays marked as such', () => {
  expect(read({ subject: 'x'.repeat(MIB), parse: 'failed' }).parse).toBe('failed')
})

test.each(['tag', 'tenantSubdomain'])('a %s that no address can have is refused', (field) => {
  expect(() => read({ [field]: 'x'.repeat(256) })).toThrow('The announcement is not valid.')
})

test('a million headers and attachments are refused without looking at each', () => {
  const body = {
    ...announcement(),
    headers: Array.from({ length: 1_000_000 }, () => ({ name: 'X', value: 'y' })),
    attachments: Array.from({ length: 1_000_000 }, () => ATTACHMENT),
  }
  // It takes 3 ms on an idle machine; all of them would take seconds.
  expect(workMs(() => readAnnouncement(body, 'mailhatch.test'))).toBeLessThan(500)
})
