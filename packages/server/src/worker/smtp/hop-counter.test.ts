import { expect, test } from 'vitest'
import { HopCounter } from './hop-counter.ts'

function count(parts: string[], headerBlockBytesMax = 1_000): number {
  const hops = new HopCounter(headerBlockBytesMax)
  for (const part of parts) hops.read(Buffer.from(part))
  return hops.count
}

test.each<[string, string, number]>([
  ['each field', 'Received: a\r\nSubject: b\r\nReceived: c\r\n\r\n', 2],
  ['any case', 'RECEIVED: a\r\nreceived: b\r\n\r\n', 2],
  ['bare LF line ends', 'Received: a\nReceived: b\n\nReceived: body\n', 2],
  ['not the body', 'Received: a\r\n\r\nReceived: body\r\n', 1],
  ['not folded text', 'Subject: a\r\n Received: b\r\n\r\n', 0],
  ['not other fields', 'X-Received: a\r\nReceived-SPF: b\r\n\r\n', 0],
  ['no header at all', '\r\nReceived: a\r\n', 0],
])('counts %s, for any chunking of the mail', (_name, mail, expected) => {
  expect(count([mail])).toBe(expected)
  expect(count(Array.from(mail))).toBe(expected)
  for (let at = 1; at < mail.length; at++) expect(count([mail.slice(0, at), mail.slice(at)])).toBe(expected)
})

test('limit: fields beyond the header block limit are not counted', () => {
  expect(count(['Received: a\r\n'.repeat(10)], 65)).toBe(5)
  expect(count(['Received: a\r\n'.repeat(10)], 66)).toBe(6)
})
