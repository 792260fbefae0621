import { expect, test } from 'vitest'
import { PARTS_MAX } from '../../mime/limits.ts'
import { parseContent, partsOf, type MimeContent, type Mime } from './content.ts'

const mailOf = (...lines: string[]) => parseContent(lines.join('\r\n'))
const bodies = (mime: Mime | null) => mime?.Parts?.map(({ Body }) => Body.bytes)

test('the text around the parts is a part too, and headers are those of MailHog', () => {
  const mail = mailOf(
    'Content-Type: multipart/mixed; boundary="b"',
    'X: 1',
    'X: 2',
    ' 3',
    '',
    'Before',
    '--b',
    '',
    'One',
    '--b--',
  )
  expect(mail.Headers).toEqual({ 'Content-Type': ['multipart/mixed; boundary="b"'], X: ['2 3'] })
  expect(bodies(partsOf(mail))).toEqual(['Before', 'One', '--'])
})

test('a mail without an empty line has no headers, and one without a boundary no parts', () => {
  expect(mailOf('Subject: Lost', '')).toMatchObject({ Headers: {}, Size: 15 })
  expect(partsOf(mailOf('Content-Type: multipart/mixed', '', 'x'))).toEqual({ Parts: null })
  expect(partsOf(mailOf('Content-Type: text/plain', '', 'x'))).toBeNull()
  expect(partsOf(mailOf('content-type: multipart/mixed; boundary=b', '', '--b', '', 'x'))).toBeNull()
})

test('names of headers are only data', () => {
  const { Headers } = mailOf('__proto__: a', 'constructor: b', '', 'x')
  expect(Object.entries(Headers)).toEqual([
    ['__proto__', ['a']],
    ['constructor', ['b']],
  ])
})

test('hostile mail has a limited number of parts and levels', () => {
  const many = mailOf('Content-Type: multipart/mixed; boundary=b', '', '--bx'.repeat(100_000))
  expect(partsOf(many)!.Parts!.length).toBeLessThanOrEqual(PARTS_MAX)
  const levels = Array.from({ length: 50 }, (_, level) => [
    `Content-Type: multipart/mixed; boundary=b${level}.`,
    '',
    `--b${level}.`,
  ])
  let depth = 0
  for (let part: MimeContent | undefined = mailOf(...levels.flat()); part; depth++) {
    part.MIME = depth === 0 ? partsOf(part) : part.MIME
    part = part.MIME?.Parts?.[0]
  }
  expect(depth).toBe(11)
})
