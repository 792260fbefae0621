import PostalMime from 'postal-mime'
import { describe, expect, test } from 'vitest'
import { parseMail, readAttachment } from './parse-mail.ts'

// On ordinary mail, our parser must agree with a common one. Where they differ on purpose (raw 8-bit subjects, quotes
// in flowed text, several texts in multipart/mixed), our own tests define what is right.

const CHARSETS: { label: string; text: string; bytes: Buffer }[] = [
  { label: 'utf-8', text: 'Zażółć €😀', bytes: Buffer.from('Zażółć €😀') },
  { label: 'iso-8859-1', text: 'café', bytes: Buffer.from('café', 'latin1') },
  { label: 'windows-1252', text: '“€”', bytes: Buffer.from('938094', 'hex') },
  { label: 'iso-8859-2', text: 'Łódź', bytes: Buffer.from('a3f364bc', 'hex') },
  { label: 'iso-8859-15', text: '5 €', bytes: Buffer.from('3520a4', 'hex') },
  { label: 'koi8-r', text: 'Привет', bytes: Buffer.from('f0d2c9d7c5d4', 'hex') },
  { label: 'windows-1251', text: 'Привет', bytes: Buffer.from('cff0e8e2e5f2', 'hex') },
  { label: 'iso-2022-jp', text: 'こんにちは', bytes: Buffer.from('1b244224332473244b2441244f1b2842', 'hex') },
  { label: 'shift_jis', text: 'こんにちは', bytes: Buffer.from('82b182f182c982bf82cd', 'hex') },
  { label: 'euc-jp', text: 'こんにちは', bytes: Buffer.from('a4b3a4f3a4cba4c1a4cf', 'hex') },
  { label: 'gb18030', text: '你好', bytes: Buffer.from('c4e3bac3', 'hex') },
  { label: 'big5', text: '你好', bytes: Buffer.from('a741a66e', 'hex') },
  { label: 'euc-kr', text: '안녕', bytes: Buffer.from('bec8b3e7', 'hex') },
]

type Mail = { name: string; raw: Buffer; sees?: { subject?: string; text?: string; attachments?: object[] } }

describe('charsets', () => {
  const encodings = { '8bit': (bytes: Buffer) => bytes, 'quoted-printable': quotedPrintable, base64: base64Lines }
  const mails = CHARSETS.flatMap(({ label, text, bytes }) =>
    Object.entries(encodings).map(([encoding, encode]): Mail => {
      const head = lines(
        `From: ${encodedWord(label, bytes, 'B')} <sender@example.test>`,
        `Subject: ${encodedWord(label, bytes, encoding === 'base64' ? 'B' : 'Q')} and more`,
        `Content-Type: text/plain; charset=${label}`,
        `Content-Transfer-Encoding: ${encoding}`,
        '',
        '',
      )
      const body = Buffer.concat([bytes, Buffer.from(' = 1\r\nsecond line\r\n')])
      const raw = Buffer.concat([head, encode(body)])
      return {
        name: `${label} ${encoding}`,
        raw,
        sees: { subject: `${text} and more`, text: `${text} = 1\nsecond line` },
      }
    }),
  )
  test.each(mails)('$name', sameAsPostalMime)
})

describe('file names', () => {
  const forms: Record<string, (label: string, bytes: Buffer) => string> = {
    'RFC 2231': (label, bytes) => `Content-Disposition: attachment; filename*=${label}''${percents(bytes)}.txt`,
    'RFC 2231 in pieces': (label, bytes) =>
      `Content-Disposition: attachment;\r\n filename*0*=${label}'en'${percents(bytes)};\r\n filename*1=".txt"`,
    'RFC 2047': (label, bytes) => `Content-Disposition: attachment; filename="${encodedWord(label, bytes, 'B')}.txt"`,
    'RFC 2047 in the type': (label, bytes) =>
      `Content-Disposition: attachment\r\nContent-Type: x/y; name="${encodedWord(label, bytes, 'Q')}.txt"`,
  }
  const mails = CHARSETS.flatMap(({ label, text, bytes }) =>
    Object.entries(forms).map(([form, header]): Mail => {
      const attachment = `${header(label, bytes)}\r\nContent-Transfer-Encoding: base64\r\n\r\nAAECAwQ=`
      const raw = multipart('mixed', ['\r\ntext', attachment])
      return { name: `${label} ${form}`, raw, sees: { attachments: [{ filename: `${text}.txt`, size: 5 }] } }
    }),
  )
  test.each(mails)('$name', sameAsPostalMime)
})

describe('shapes', () => {
  const plain = 'Content-Type: text/plain; charset=utf-8\r\n\r\nplain text\r\n'
  const html = 'Content-Type: text/html; charset=utf-8\r\n\r\n<p>HTML</p>\r\n'
  const png =
    'Content-Type: image/png; name=a.png\r\nContent-ID: <a@x>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo='
  const pdf =
    'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="b c.pdf"\r\n\r\n%PDF-1.7\r\n%%EOF'
  const text = 'Content-Type: text/plain\r\nContent-Disposition: attachment; filename=notes.txt\r\n\r\nnot a body'
  const message = 'Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\ninner text'
  const inner = (type: string, parts: string[], boundary: string) => String(multipart(type, parts, boundary))
  const alternative = inner('alternative', [plain, html], 'alt')
  const related = inner('related', [html, png], 'rel')

  const shapes: Record<string, Buffer> = {
    alternative: multipart('alternative', [plain, html]),
    'alternative, HTML first': multipart('alternative', [html, plain]),
    'mixed with attachments': multipart('mixed', [plain, png, pdf, text]),
    related: multipart('related', [html, png]),
    'alternative in mixed': multipart('mixed', [alternative, pdf]),
    'alternative in related': multipart('related', [alternative, png]),
    'related in alternative': multipart('alternative', [plain, related]),
    'related in alternative in mixed': multipart('mixed', [inner('alternative', [plain, related], 'alt'), pdf]),
    'a forwarded message': multipart('mixed', [plain, message]),
    digest: multipart('digest', ['\r\nSubject: one\r\n\r\nx', '\r\nSubject: two\r\n\r\ny']),
    report: multipart('report', [plain, 'Content-Type: message/delivery-status\r\n\r\nAction: failed\r\n', message]),
    signed: multipart('signed', [plain, 'Content-Type: application/pgp-signature\r\n\r\n-----BEGIN PGP-----']),
    'an unknown multipart': multipart('x-unknown', [plain, pdf]),
    'a part without headers': multipart('mixed', ['\r\none', pdf]),
    'an empty part': multipart('mixed', [plain, 'Content-Type: application/x\r\n\r\n']),
    'a boundary with odd characters': multipart('mixed', [plain, pdf], "=_'()+_,-./:=?"),
    'line feeds only': Buffer.from(String(multipart('mixed', [alternative, pdf])).replaceAll('\r', '')),
    'no end': Buffer.from(String(multipart('mixed', [plain, pdf])).replace(/\r\n--b--[^]*/, '\r\n')),
    'an inner multipart without end': multipart('mixed', [alternative.replace('--alt--', ''), pdf]),
    'an attachment alone': lines(
      'Content-Type: application/pdf; name=x.pdf',
      'Content-Transfer-Encoding: base64',
      '',
      'JVBERi0=',
    ),
    'HTML alone': Buffer.from(`Subject: x\r\n${html}`),
    'no content type': lines('Subject: x', 'From: a@b.test', '', 'text', ''),
    'headers only': lines('Subject: x', 'From: a@b.test'),
    flowed: lines('Content-Type: text/plain; format=flowed', '', 'one ', 'line', '', 'next ', ' stuffed', '-- ', 'me'),
    'flowed with DelSp': lines('Content-Type: text/plain; format=flowed; DelSp=yes', '', 'one ', 'word', '', 'x'),
    'comments in structured headers': lines(
      'Content-Type: text/html (HTML); charset="utf-8" (Unicode)',
      'Content-Transfer-Encoding: (so it is) base64',
      '',
      'PGI+4oKsPC9iPg==',
    ),
    'soft breaks': lines('Content-Transfer-Encoding: quoted-printable', '', 'one=', ' line =3D=20', 'x=C3=', '=A9'),
    'base64 without padding, in odd lines': lines('Content-Transfer-Encoding: base64', '', 'aGVs', 'bG8gd29', 'ybGQ'),
    'a long folded subject': lines('Subject: one', '\ttwo', '  three', 'From: a@b.test', '', 'x'),
    'a character split between encoded words': lines('Subject: =?utf-8?Q?=E2=82?=', ' =?utf-8?Q?=AC?=', '', 'x'),
    'encoded words beside text': lines('Subject: a =?utf-8?Q?b?= c =?utf-8?Q?d?= =?utf-8?Q?_e?=', '', 'x'),
    'encoded words with a language': lines('Subject: =?utf-8*en?Q?hello?=', '', 'x'),
    'a subject that only looks encoded': lines('Subject: =?utf-8?X?hello?= =?=', '', 'x'),
    'a quoted sender': lines('From: "Last, \\"First\\" (x)" <a@b.test>', '', 'x'),
    'a sender with a comment': lines('From: a@b.test (Ann)', '', 'x'),
    'several senders': lines('From: Ann <a@b.test>, Bob <b@b.test>', '', 'x'),
    'a raw UTF-8 header': Buffer.from('Subject: Grüße ☕\r\nFrom: Jörg <j@b.test>\r\n\r\nx'),
  }
  test.each(Object.entries(shapes).map(([name, raw]): Mail => ({ name, raw })))('$name', sameAsPostalMime)
})

async function sameAsPostalMime({ raw, sees }: Mail): Promise<void> {
  const ours = parseMail(raw)
  const theirs = await PostalMime.parse(raw, { forceRfc822Attachments: true })
  expect(ours.parse).toBe('complete')
  expect(ours.subject).toBe(theirs.subject ?? '')
  expect(ours.from).toBe(theirs.from?.address ?? '')
  expect(ours.fromName ?? '').toBe(theirs.from?.name ?? '')
  expect(plainLines(ours.text)).toBe(plainLines(theirs.text))
  expect(plainLines(ours.html)).toBe(plainLines(theirs.html))
  expect(ours.headers.map(({ name }) => name)).toEqual(theirs.headers.map(({ originalKey }) => originalKey))
  expect(ours.attachments.map(({ filename, contentType }) => [filename, contentType])).toEqual(
    theirs.attachments.map(({ filename, mimeType }) => [filename, mimeType]),
  )
  expect(ours.attachments.map(({ contentId }) => contentId)).toEqual(
    theirs.attachments.map(({ contentId }) => contentId?.slice(1, -1) ?? null),
  )
  for (const { index, size } of ours.attachments) {
    const bytes = readAttachment(raw, { index })?.bytes ?? new Uint8Array()
    expect(size).toBe(bytes.length)
    // With the default encoding, contents are buffers.
    const content = new Uint8Array(theirs.attachments[index]!.content as ArrayBuffer)
    // It changes the line ends of attachments to line feeds and adds one. Our parser must not.
    expect(plainLines(latin1(bytes))).toBe(plainLines(latin1(content)))
  }
  // Expected values, in case both are wrong.
  expect({ ...ours, text: plainLines(ours.text) }).toMatchObject(sees ?? {})
}

function plainLines(text: string | null | undefined): string {
  return (text ?? '').replace(/\r?\n[\r\n]*/g, '\n').trimEnd()
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

function lines(...text: string[]): Buffer {
  return Buffer.from(text.join('\r\n'))
}

function multipart(type: string, parts: string[], boundary = 'b'): Buffer {
  const delimited = parts.map((part) => `--${boundary}\r\n${part}`)
  return lines(
    `Content-Type: multipart/${type}; boundary="${boundary}"`,
    '',
    'preamble',
    ...delimited,
    `--${boundary}--`,
    'epilogue',
  )
}

function encodedWord(label: string, bytes: Buffer, encoding: 'B' | 'Q'): string {
  const encoded = encoding === 'B' ? bytes.toString('base64') : String(quotedPrintable(bytes)).replaceAll('=20', '_')
  return `=?${label}?${encoding}?${encoded}?=`
}

function quotedPrintable(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes.toString('latin1').replace(/[^a-zA-Z0-9\r\n]/g, (character) => `=${hex(character.charCodeAt(0))}`),
  )
}

function base64Lines(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('base64').replace(/.{1,20}/g, '$&\r\n'))
}

function percents(bytes: Buffer): string {
  return Array.from(bytes, (byte) => `%${hex(byte)}`).join('')
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0')
}
