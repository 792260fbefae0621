import { expect, test } from 'vitest'
import { SUBJECT_CHARS_MAX } from './limits.ts'
import { parseMail } from './parse-mail.ts'

test.each([-1, 0, 1])('limit: a subject of %i characters beyond the limit', (beyond) => {
  const subject = 'x'.repeat(SUBJECT_CHARS_MAX + beyond)
  const parsed = parseMail(Buffer.from(`Subject: ${subject}\r\n\r\nHello`))
  expect(parsed.subject).toBe('x'.repeat(Math.min(SUBJECT_CHARS_MAX, subject.length)))
  expect(parsed.parse).toBe(beyond > 0 ? 'partial' : 'complete')
  expect(parsed.headers).toEqual([{ name: 'Subject', value: subject }])
})
