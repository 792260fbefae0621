import { describe, expect, test } from 'vitest'
import { parseMail, plainTextOf, readAttachment } from '../../src/mime/parse-mail.ts'
import { quickestMs, workMs } from '../support/work-time.ts'
import { hostileMails } from './hostile-mail.ts'

// Each takes much less than 200 ms on an idle machine; a machine that runs other tests is slower.
const PARSE_MS_MAX = 1_000

/** For times too short to compare, and for clocks that tick every 8 ms. */
const CLOCK_MS = 50

const CUT = new Set([
  'half a megabyte of folds',
  'a header of 1 MB',
  'a header name of 1 MB',
  'a header of 1 MB of spaces',
  '50,000 headers',
  'a subject of 60 kB of spaces',
  'a subject that switches charsets',
  '50,000 addresses in From',
  '50,000 addresses in To',
  'nested address groups',
  'unterminated quoted string',
  'unterminated comment',
  'unterminated angle address',
  'unterminated encoded word',
  '256 KiB of encoded words',
  'encoded words that break characters',
  '20,000 parameters',
  '10,000 parameter sections',
  'a boundary of 10 kB',
  '50,000 parts',
  '50,000 empty parts',
  '1,000 parts with encoded names',
  '500 nested multiparts',
  '500 nested multiparts with one boundary',
  'text over a megabyte',
  'HTML over a megabyte',
])

describe('hostile mail is parsed in time', () => {
  test.each(hostileMails())('$name', ({ name, raw }) => {
    const mail = parseMail(raw)
    expect(workMs(() => parseMail(raw))).toBeLessThan(PARSE_MS_MAX)
    expect(mail.parse).toBe(CUT.has(name) ? 'partial' : 'complete')

    const json = JSON.stringify(mail)
    expect(json.isWellFormed()).toBe(true)
    expect(json).not.toMatch(/\\u0000|\\ud[89a-f]/i)
    expect(plainTextOf(mail)).toBeTypeOf('string')

    for (const { index, size } of mail.attachments.slice(-1)) {
      expect(readAttachment(raw, { index })?.bytes.length).toBe(size)
    }
  })

  test('every mail that should be truncated exists', () => {
    const names = new Set(hostileMails().map(({ name }) => name))
    expect(CUT.isSubsetOf(names)).toBe(true)
    expect(names.size).toBe(hostileMails().length)
  })
})

test('parsing time is linear in the size', () => {
  const large = hostileMails().filter(({ raw }) => raw.length > 250_000)
  const slow = large.filter(({ raw }) => {
    const whole = workMs(() => parseMail(raw))
    if (whole <= CLOCK_MS) return false
    const quarter = quickestMs(() => parseMail(raw.subarray(0, raw.length / 4)))
    // Quadratic work would take 16 times as long.
    return whole > 8 * quarter + CLOCK_MS
  })
  expect(large.length).toBeGreaterThan(20)
  expect(slow.map(({ name }) => name)).toEqual([])
})

test('a mail truncated at any position is still parsed', () => {
  const mail = [
    'From: =?utf-8?Q?J=C3=B6rg?= <j@b.test>',
    'Subject: "x" (y) =?utf-8?B?4oKs?=',
    'Content-Type: multipart/mixed; boundary="b b"',
    '',
    '--b b',
    "Content-Disposition: attachment; filename*0*=utf-8''%e2%82; filename*1*=%ac",
    'Content-Transfer-Encoding: base64',
    '',
    'aGVsbG8=',
    '--b b',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'caf=C3=A9',
    '--b b--',
  ].join('\r\n')
  const raw = new TextEncoder().encode(mail)
  for (let length = 0; length <= raw.length; length++) expect(parseMail(raw.subarray(0, length)).parse).toBe('complete')
  expect(parseMail(raw)).toMatchObject({ fromName: 'Jörg', text: 'café', attachments: [{ filename: '€', size: 5 }] })
})
