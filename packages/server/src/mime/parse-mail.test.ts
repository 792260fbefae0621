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
/** Every character is one byte, for mail that is not UTF-8. */
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
const crlf = (...lines: string[]) => lines.join('\r\n')
const parse = (...lines: string[]) => parseMail(encode(crlf(...lines)))

/** A multipart of parts that are given with their headers. */
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

/** The only attachment of a mail, by its headers. */
const one = (...headers: string[]) => parse(multipart('mixed', [crlf(...headers, '', 'x')])).attachments[0]
const around = (limit: number) => [
  [limit - 1, 'complete'],
  [limit, 'complete'],
  [limit + 1, 'partial'],
]

describe('headers', () => {
  test('keep order, case and duplicates', () => {
    const { headers } = parse('Received: one', 'received: two', 'X-Odd Name : x', 'SUBJECT: y', '', '')
    expect(headers).toEqual([
      { name: 'Received', value: 'one' },
      { name: 'received', value: 'two' },
      { name: 'X-Odd Name', value: 'x' },
      { name: 'SUBJECT', value: 'y' },
    ])
  })

  test.each([
    ['is unfolded', 'a\r\n\t b', 'a\t b'],
    ['is unfolded with bare line feeds', 'a\n b', 'a b'],
    ['has encoded words decoded', '=?utf-8?Q?caf=C3=A9?= =?utf-8?B?4piV?=', 'café☕'],
    ['has encoded words decoded across folds', '=?utf-8?Q?=E2=98?=\r\n =?utf-8?Q?=95?=', '☕'],
    ['keeps an unterminated encoded word', '=?utf-8?Q?caf', '=?utf-8?Q?caf'],
    ['loses NUL', 'a\0b', 'ab'],
    ['shows a lone CR as a space', 'a\rb', 'a b'],
    ['is UTF-8 if it can be', 'Grüße', 'Grüße'],
    ['may be empty', '', ''],
  ])('a subject %s', (_, value, subject) => {
    const mail = parse(`Subject: ${value}`, 'From: a@b.test', '', 'x')
    expect(mail).toMatchObject({ subject, from: 'a@b.test', text: 'x', parse: 'complete' })
    expect(mail.headers[0]).toEqual({ name: 'Subject', value: subject })
  })

  test('raw bytes follow the charset of the body, wherever it is declared', () => {
    const raw = latin1(crlf('Subject: \xf0\xd2', 'Content-Type: text/plain; charset=koi8-r', '', '\xf0\xd2'))
    expect(parseMail(raw)).toMatchObject({ subject: 'Пр', text: 'Пр' })
    expect(parseMail(latin1('Subject: \x80\xe9\r\n\r\n'))).toMatchObject({ subject: '€é' })
  })

  test('a mail without any header is all body', () => {
    expect(parse('just text', 'Subject: no')).toMatchObject({ headers: [], text: 'just text\nSubject: no' })
    expect(parse('', 'Note: no')).toMatchObject({ headers: [], subject: '', text: 'Note: no' })
  })

  test('a line that is no header is left out with its folds', () => {
    const mail = parse('Subject: x', 'garbage', ' fold', 'From: a@b.test', '', 'text')
    expect(mail).toMatchObject({ subject: 'x', from: 'a@b.test', text: 'text' })
    expect(mail.headers).toHaveLength(2)
  })
})

describe('bodies', () => {
  test.each([
    ['plain text is the default', crlf('Subject: x', '', 'a', 'b'), 'a\nb', null],
    ['HTML alone', part('text/html', '<b>x</b>'), null, '<b>x</b>'],
    ['a type that is none', part('text', 'x'), 'x', null],
    [
      'quoted-printable',
      part('text/plain', 'caf=C3=A9=\r\n!', 'Content-Transfer-Encoding: Quoted-Printable'),
      'café!',
      null,
    ],
    ['base64 with a comment', part('text/plain', 'eA==', 'Content-Transfer-Encoding: (x) base64'), 'x', null],
    ['flowed', part('text/plain; format=flowed', 'a \r\nb'), 'a b', null],
    ['flowed means nothing in HTML', part('text/html; format=flowed', 'a \r\nb'), null, 'a \nb'],
    ['NUL is removed', part('text/plain', 'a\0b'), 'ab', null],
    ['an empty body is none', part('text/plain', ''), null, null],
    ['alternative', multipart('alternative', [part('text/plain', 't'), part('text/html', 'h')]), 't', 'h'],
    [
      'the first text of an alternative',
      multipart(
        'alternative',
        ['1', '2'].map((x) => part('text/plain', x)),
      ),
      '1',
      null,
    ],
    [
      'an empty part is no text',
      multipart(
        'mixed',
        ['', 'x', ''].map((x) => part('text/plain', x)),
      ),
      'x',
      null,
    ],
    ['text without headers', multipart('mixed', ['\r\nx']), 'x', null],
    ['a part that only has headers', multipart('mixed', ['Content-Type: text/html', '\r\nx']), 'x', null],
    ['a multipart without boundary', part('multipart/mixed', 'x'), 'x', null],
    ['a multipart without delimiter', part('multipart/mixed; boundary=b', 'x'), 'x', null],
    ['blanks after a delimiter', multipart('mixed', ['\r\nx']).replace('--b\r\n', '--b \t\r\n'), 'x', null],
    ['a longer line is no delimiter', multipart('mixed', ['\r\nx\r\n--bb\r\ny']), 'x\n--bb\ny', null],
    ['a delimiter within a line is none', multipart('mixed', ['\r\nx --b']), 'x --b', null],
    ['a multipart that never ends', multipart('mixed', ['\r\nx']).replace(/--b--[^]*/, ''), 'x\n', null],
  ])('%s', (_, mail, text, html) => {
    expect(parse(mail)).toMatchObject({ text, html, attachments: [], parse: 'complete' })
  })

  test('bare line feeds do as well', () => {
    const mail = multipart('alternative', [part('text/plain', 't'), part('text/html', 'h')]).replaceAll('\r', '')
    expect(parse(mail)).toMatchObject({ text: 't', html: 'h' })
  })

  test('an inner multipart that is left open ends with the outer one', () => {
    const inner = crlf('Content-Type: multipart/alternative; boundary=i', '', '--i', '', 'inner')
    const mail = parse(multipart('mixed', [inner, part('text/plain', 'after')], 'o'))
    expect(mail).toMatchObject({ text: 'inner', attachments: [{ size: 5 }], parse: 'complete' })
  })

  test('alternative with related HTML and an attachment beside it', () => {
    const image = part('image/png', 'AAAA', 'Content-ID: <i@x>', 'Content-Transfer-Encoding: base64')
    const related = multipart('related', [part('text/html', '<img src="cid:i@x">'), image], 'r')
    const alternative = multipart('alternative', [part('text/plain', 't'), related], 'a')
    const pdf = part('application/pdf; name=a.pdf', 'x', 'Content-Disposition: attachment')
    const mail = parse(multipart('mixed', [alternative, pdf], 'm'))
    expect(mail).toMatchObject({ text: 't', html: '<img src="cid:i@x">', parse: 'complete' })
    expect(mail.attachments).toEqual([
      { index: 0, filename: null, contentType: 'image/png', size: 3, contentId: 'i@x', inline: true },
      { index: 1, filename: 'a.pdf', contentType: 'application/pdf', size: 1, contentId: null, inline: false },
    ])
  })

  test('the text of a mail that has only HTML, or an empty text beside it', () => {
    expect(plainTextOf({ text: 'text', html: '<p>html</p>' })).toBe('text')
    expect(plainTextOf({ text: null, html: '<p>html</p>' }).trim()).toBe('html')
    expect(plainTextOf({ text: ' \n', html: '<p>html</p>' }).trim()).toBe('html')
    expect(plainTextOf({ text: null, html: null })).toBe('')
  })
})

describe('attachments', () => {
  test.each([
    ['filename="a.txt"', 'a.txt'],
    ["filename=a.txt; filename*=utf-8''%e2%82%ac.txt", '€.txt'],
    ['filename*0="a very "; filename*1="long name.txt"', 'a very long name.txt'],
    ['filename="=?utf-8?B?4oKs?=.txt"', '€.txt'],
    ['filename="=?utf-8?Q?a?=\r\n =?utf-8?Q?b?="', 'ab'],
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="C:\\Users\\me\\a.txt"', 'a.txt'],
    ["filename*=utf-8''..%2f..%2fa.txt", 'a.txt'],
    ['filename="a\x07\u202egnp.exe"', 'agnp.exe'],
    ['filename=".."', null],
    ['filename="dir/"', null],
    ['x=y', null],
  ])('named by %s', (parameter, filename) => {
    expect(one(`Content-Disposition: attachment; ${parameter}`)).toMatchObject({ filename })
  })

  test('named by the content type if the disposition names none', () => {
    expect(one('Content-Type: a/b; name="=?utf-8?Q?=C3=A9?="')).toMatchObject({ filename: 'é', contentType: 'a/b' })
  })

  test.each([
    [
      'text with the disposition attachment',
      ['Content-Type: text/html', 'Content-Disposition: attachment'],
      'text/html',
    ],
    ['a message, which is not looked into', ['Content-Type: Message/RFC822'], 'message/rfc822'],
    ['calendar', ['Content-Type: text/calendar; method=REQUEST'], 'text/calendar'],
  ])('%s', (_, headers, contentType) => {
    expect(one(...headers)).toMatchObject({ contentType, size: 1, inline: false })
  })

  test('messages are the default in a digest', () => {
    const { attachments } = parse(multipart('digest', ['\r\nSubject: inner\r\n\r\nx']))
    expect(attachments).toMatchObject([{ contentType: 'message/rfc822', size: 19 }])
  })

  test.each([
    ['inline by disposition', 'mixed', 'inline', '', true],
    ['shown by the HTML', 'related', 'attachment', 'cid:i%40x', true],
    ['shown as the standard wants it', 'related', '', 'cid:i@x', true],
    ['not shown', 'related', '', 'cid:other', false],
    ['shown, but not related', 'mixed', '', 'cid:i@x', false],
  ])('inline: %s', (_, type, disposition, source, inline) => {
    const html = part('text/html', `<img src="${source}">`)
    const image = part('image/png', 'x', 'Content-ID: <i@x>', `Content-Disposition: ${disposition}`)
    expect(parse(multipart(type, [html, image])).attachments).toMatchObject([{ contentId: 'i@x', inline }])
  })

  test('keep their place when texts are listed too, because stored messages find them by it', () => {
    const terms = part('text/plain; name=terms.txt', 'terms', 'Content-Disposition: inline')
    const pdf = part('application/pdf; name=a.pdf', 'pdf')
    const log = part('text/plain', 'log', 'Content-Disposition: attachment; filename=log.txt')
    const raw = encode(multipart('mixed', [terms, pdf, part('text/plain', 'own'), part('text/plain', 'footer'), log]))
    expect(parseMail(raw)).toMatchObject({ text: 'own' })
    const names = parseMail(raw).attachments.map(({ filename }) => filename)
    expect(names).toEqual(['a.pdf', 'log.txt', 'terms.txt', null])
    const contents = names.map((_, index) => new TextDecoder().decode(readAttachment(raw, { index })?.bytes))
    expect(contents).toEqual(['pdf', 'log', 'terms', 'footer'])
  })

  test('are read by index or Content-ID', () => {
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

  test('a header block over 256 KiB is read up to there, and the body is found', () => {
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

test(`beyond ${ENCODED_WORDS_MAX} encoded words the rest stays as it is, and the mail is partial`, () => {
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

test('only the head of a mail that could not be parsed', () => {
  const raw = encode(crlf('From: Ann <a@b.test>', 'Subject: =?utf-8?Q?=C3=A9?=', '', 'text'))
  expect(parseHeadOnly(raw)).toMatchObject({
    from: 'a@b.test',
    fromName: 'Ann',
    subject: 'é',
    text: null,
    parse: 'failed',
  })
})
