import { describe, expect, test } from 'vitest'
import { attachmentHeaders } from './download.ts'

const disposition = (filename: string) =>
  attachmentHeaders({ contentType: 'text/plain', filename })['content-disposition']

describe('a file name chosen by a sender becomes a safe header', () => {
  test.each([
    ['report.pdf', 'attachment; filename="report.pdf"'],
    ['Report (1) 2026-01.pdf', 'attachment; filename="Report (1) 2026-01.pdf"'],
    ['a"b.txt', `attachment; filename="a_b.txt"; filename*=UTF-8''a%22b.txt`],
    [
      'a\r\nSet-Cookie: x=1',
      `attachment; filename="a__Set-Cookie_ x=1"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1`,
    ],
    ['../../etc/passwd', `attachment; filename=".._.._etc_passwd"; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`],
    ['Grüße.txt', `attachment; filename="Gr__e.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt`],
    [`it's (new)*.txt`, `attachment; filename="it_s (new)_.txt"; filename*=UTF-8''it%27s%20%28new%29%2A.txt`],
    ['\ud83d.txt', `attachment; filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`],
  ])('%j', (filename, expected) => {
    expect(disposition(filename)).toBe(expected)
    // What Node would refuse to send.
    expect(() => new Headers({ 'content-disposition': expected })).not.toThrow()
  })

  test('a name truncated in the middle of a character is well-formed', () => {
    expect(disposition(`${'a'.repeat(199)}😀`)).toMatch(/a%EF%BF%BD$/)
    expect(disposition('x'.repeat(1_000))).toBe(`attachment; filename="${'x'.repeat(200)}"`)
  })
})

describe('a media type chosen by a sender', () => {
  test.each([
    ['image/png', 'image/png'],
    ['application/vnd.ms-excel', 'application/vnd.ms-excel'],
    ['text/html; charset=x', 'application/octet-stream'],
    ['text/html\r\nX: y', 'application/octet-stream'],
    ['', 'application/octet-stream'],
    ['nonsense', 'application/octet-stream'],
  ])('%j is sent as %s', (contentType, expected) => {
    expect(attachmentHeaders({ contentType, filename: 'a' })['content-type']).toBe(expected)
  })

  test('is neither sniffed nor executed', () => {
    expect(attachmentHeaders({ contentType: 'text/html', filename: 'a.html' })).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    })
  })
})
