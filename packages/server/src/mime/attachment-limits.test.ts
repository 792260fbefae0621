import { expect, test } from 'vitest'
import { CONTENT_ID_CHARS_MAX } from './limits.ts'
import { parseMail, readAttachment } from './parse-mail.ts'

function mailOf(contentIds: string[]): Uint8Array {
  const parts = contentIds.map((id) => `--b\r\nContent-Type: image/png\r\nContent-ID: <${id}>\r\n\r\nx\r\n`)
  return Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join('')}--b--`)
}

test.each([-1, 0, 1])('a content id as long as the limit and %i', (difference) => {
  const id = 'x'.repeat(CONTENT_ID_CHARS_MAX + difference)
  const raw = mailOf([id])
  expect(parseMail(raw).attachments).toMatchObject([{ contentId: difference > 0 ? null : id, size: 1 }])
  expect(readAttachment(raw, { contentId: id })?.bytes.length).toBe(difference > 0 ? undefined : 1)
  expect(readAttachment(raw, { index: 0 })?.bytes.length).toBe(1)
})

test('the result for a mail with 400 content ids of 60 kB each stays small', () => {
  const { attachments } = parseMail(mailOf(Array.from({ length: 400 }, (_, index) => `${index}${'x'.repeat(60_000)}`)))
  expect(attachments).toHaveLength(400)
  expect(JSON.stringify(attachments).length).toBeLessThan(1024 * 1024)
})

test('every field of an attachment has a limit: a thousand of the longest are less than a megabyte', () => {
  const long = 'x'.repeat(60_000)
  const headers = [
    `Content-Type: ${long}/${long}; name=${long}`,
    `Content-ID: ${long}`,
    `Content-Disposition: attachment; filename=${long}`,
  ]
  const part = `--b\r\n${headers.join('\r\n')}\r\n\r\nx\r\n`
  const raw = Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(100)}--b--`)
  const { attachments } = parseMail(raw)
  expect(attachments).toHaveLength(100)
  expect(JSON.stringify(attachments).length).toBeLessThan(100 * 1_000)
})
