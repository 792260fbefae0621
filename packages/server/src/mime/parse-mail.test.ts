import { describe, expect, test } from 'vitest'
import {
  BODY_BYTES_MAX,
  BOUNDARY_BYTES_MAX,
  DEPTH_MAX,
  ENCODED_WORDS_MAX,
  HEADER_BYTES_MAX,
  HEADERS_MAX,
  PARTS_MAX,
} from './limits.ts'
import { parseHeadOnly, parseMail, plainTextOf, readAttachment } from './parse-mail.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const crlf = (...lines: string[]) => lines.join('\r\n')
const parse = (...lines: string[]) => parseMail(encode(crlf(...lines)))

/** A multipart of parts that include their headers. */
function multipart(type: string, parts: string[], boundary = 'b'): string {
  return crlf(
    `Content-Type: multipart/${type}; boundary=${boundary}`,
    '',
    'preamble',
    ...parts.map((part) => `--${boundary}\r\n${part}`),
    `--${boundary}--`,
    'epilogue',
  )
}
const part = (type: string, body: string, ...headers: string[]) => crlf(`Content-Type: ${type}`, ...headers, '', body)

const around = (limit: number) => [
  [limit - 1, 'complete'],
  [limit, 'complete'],
  [limit + 1, 'partial'],
]

test('the text of HTML-only mail, and of mail with an empty text beside the HTML', () => {
  expect(plainTextOf({ text: 'text', html: '<p>html</p>' })).toBe('text')
  expect(plainTextOf({ text: null, html: '<p>html</p>' }).trim()).toBe('html')
  expect(plainTextOf({ text: ' \n', html: '<p>html</p>' }).trim()).toBe('html')
  expect(plainTextOf({ text: null, html: null })).toBe('')
})

test('attachments are read by index or Content-ID', () => {
  const encoded = part('a/b', 'aGVsbG8=', 'Content-Transfer-Encoding: base64', 'Content-ID: <one>')
  const plain = part('c/d', 'as\r\nit is', 'Content-ID: two')
  const raw = encode(multipart('mixed', [encoded, plain]))
  const text = (selector: Parameters<typeof readAttachment>[1]) => {
    const found = readAttachment(raw, selector)
    return found && `${found.attachment.contentType} ${new TextDecoder().decode(found.bytes)}`
  }
  expect(text({ index: 0 })).toBe('a/b hello')
  expect(text({ index: 1 })).toBe('c/d as\r\nit is')
  expect(text({ contentId: 'one' })).toBe('a/b hello')
  expect(text({ contentId: 'two' })).toBe('c/d as\r\nit is')
  expect([text({ index: 2 }), text({ index: -1 }), text({ contentId: 'three' })]).toEqual([null, null, null])
  expect(parseMail(raw).attachments).toEqual([0, 1].map((index) => readAttachment(raw, { index })?.attachment))
})

describe('limits, one below, at and one above', () => {
  test.each(around(HEADERS_MAX))('%i headers: %s', (count, state) => {
    const mail = parse(...Array.from({ length: Number(count) }, () => 'X: y'), '', 'body')
    expect(mail).toMatchObject({ parse: state, text: 'body' })
    expect(mail.headers).toHaveLength(Math.min(Number(count), HEADERS_MAX))
  })

  test.each(around(HEADER_BYTES_MAX))('a header of %i bytes: %s', (size, state) => {
    const mail = parse(`X: ${'y'.repeat(Number(size) - 3)}`, 'Subject: s', '', 'body')
    expect(mail).toMatchObject({ parse: state, subject: 's', text: 'body' })
  })

  test('a long header is cut between characters', () => {
    const [header] = parse(`X: x${'€'.repeat(HEADER_BYTES_MAX / 3)}`, '', '').headers
    expect(header?.value).toMatch(/^x€+$/)
  })

  test('a header block over 256 KiB is read up to the limit, and the body is found', () => {
    const mail = parse('Subject: s', ...Array.from({ length: 9 }, () => `X: ${'y'.repeat(32_768)}`), 'Z: z', '', 'body')
    expect(mail).toMatchObject({ parse: 'partial', subject: 's', text: 'body' })
    expect(mail.headers).toHaveLength(9)
  })

  test.each(around(PARTS_MAX))('%i parts: %s', (count, state) => {
    const mail = parse(
      multipart(
        'mixed',
        Array.from({ length: Number(count) }, () => '\r\nx'),
      ),
    )
    expect(mail).toMatchObject({ parse: state, text: 'x' })
    const [first] = mail.attachments
    expect(first?.contentType).toBe(state === 'partial' ? 'application/octet-stream' : 'text/plain')
    expect(mail.attachments).toHaveLength(Number(count) - 1)
  })

  test.each(around(DEPTH_MAX))('%i levels: %s', (depth, state) => {
    const levels = Array.from({ length: Number(depth) }, (_, level) => level)
    const mail = levels.reduce((inner, level) => multipart('mixed', [inner], `b${level}`), part('text/plain', 'x'))
    expect(parse(mail)).toMatchObject({ parse: state, text: state === 'partial' ? null : 'x' })
  })

  test.each(around(BOUNDARY_BYTES_MAX))('a boundary of %i bytes: %s', (size, state) => {
    const mail = parse(multipart('mixed', ['\r\nx'], 'b'.repeat(Number(size))))
    expect(mail).toMatchObject({ parse: state, text: state === 'partial' ? null : 'x' })
    expect(mail.attachments.map(({ contentType }) => contentType)).toEqual(
      state === 'partial' ? ['multipart/mixed'] : [],
    )
  })

  test.each(around(BODY_BYTES_MAX))('a body of %i bytes: %s', (size, state) => {
    for (const [type, field] of [['text/plain', 'text'] as const, ['text/html', 'html'] as const]) {
      const mail = parse(part(type, 'x'.repeat(Number(size))))
      expect(mail.parse).toBe(state)
      expect(mail[field]?.length).toBe(Math.min(Number(size), BODY_BYTES_MAX))
    }
  })

  test.each(['utf-8', 'utf-16le'] as const)('a long body is cut between characters: %s', (charset) => {
    const head = Buffer.from(`Content-Type: text/plain; charset=${charset}\r\n\r\n`)
    const mail = parseMail(Buffer.concat([head, Buffer.from(`x${'😀'.repeat(BODY_BYTES_MAX)}`, charset)]))
    expect(mail.parse).toBe('partial')
    expect(mail.text).toBe(`x${'😀'.repeat((BODY_BYTES_MAX - 4) / 4)}`)
  })
})

test('a thousand recipients with encoded names leave the subject readable', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `=?utf-8?B?5bGx55Sw5aSq6YOO?= <qa+${index}@in.test>`)
  const mail = parse(`To: ${names.join(',\r\n ')}`, 'Subject: =?utf-8?B?56K66KqN?=', '', 'text')
  expect(mail).toMatchObject({ subject: '確認', parse: 'complete' })
})

test(`beyond ${ENCODED_WORDS_MAX} encoded words the rest is not decoded, and the mail is partial`, () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: =?utf-8?Q?=C3=A9?=`)
  const last = (count: number) => {
    const { headers, parse: state } = parse(
      crlf(...words(900), `X-Last: ${'=?utf-8?Q?=C3=A9?= '.repeat(count - 900)}`),
      '',
      'x',
    )
    return [headers.at(-1)?.value.at(-1), state]
  }
  expect(last(ENCODED_WORDS_MAX)).toEqual(['é', 'complete'])
  expect(last(ENCODED_WORDS_MAX + 1)).toEqual(['=', 'partial'])
})

test('only the headers of mail that could not be parsed', () => {
  const raw = encode(crlf('From: Ann <a@b.test>', 'Subject: =?utf-8?Q?=C3=A9?=', '', 'text'))
  expect(parseHeadOnly(raw)).toMatchObject({
    from: 'a@b.test',
    fromName: 'Ann',
    subject: 'é',
    text: null,
    parse: 'failed',
  })
})
