// Mail that tries to block, exhaust or crash a parser. Any sender can send it.

export type HostileMail = { name: string; raw: Uint8Array }

const ADDRESSES = Array.from({ length: 50_000 }, (_, index) => `a${index}@b.test`).join(', ')
const NESTED_GROUPS = 'a:'.repeat(30_000)

export function hostileMails(): HostileMail[] {
  const mails: [name: string, text: string][] = [
    ['empty', ''],
    ['only a NUL', '\0'],
    ['only a dot', '.'],
    ['only headers', 'Subject: x\r\nFrom: a@b.test'],
    ['only a body', 'no header at all\r\n'],
    ['half a megabyte of newlines', '\n'.repeat(500_000)],
    ['half a megabyte of carriage returns', '\r'.repeat(500_000)],
    ['half a megabyte of NULs', '\0'.repeat(500_000)],
    ['half a megabyte of folds', head({ Subject: '\r\n x'.repeat(125_000) })],
    ['lines of 200 kB', head({}, `${'x'.repeat(200_000)}\r\n`.repeat(5))],
    ['a line of 66 kB of spaces', head({}, `${' '.repeat(66_000)}\r\n`)],
    ['a line of 66 kB of tabs', head({}, `${'\t'.repeat(66_000)}\r\n`)],
    ['a subject of 60 kB of spaces', head({ Subject: `a${' '.repeat(60_000)}b` })],
    ['a header of 1 MB', head({ 'X-Long': 'x'.repeat(1_000_000) })],
    ['a header name of 1 MB', `${'x'.repeat(1_000_000)}: y\r\n\r\nbody`],
    ['a header of 1 MB of spaces', head({ Subject: `a${' '.repeat(1_000_000)}b` })],
    ['50,000 headers', head({ Subject: 'many' }, 'body', 'X-A: b\r\n'.repeat(50_000))],
    ['50,000 addresses in From', head({ From: ADDRESSES })],
    ['50,000 addresses in To', head({ From: 'a@b.test', To: ADDRESSES })],
    ['nested address groups', head({ From: NESTED_GROUPS, 'Reply-To': NESTED_GROUPS })],
    ['unterminated quoted string', head({ From: `"${'a\\'.repeat(30_000)}` })],
    ['unterminated comment', head({ From: '('.repeat(60_000), 'Content-Type': `text/plain; ${'('.repeat(60_000)}` })],
    ['unterminated angle address', head({ From: '<a@'.repeat(20_000) })],
    ['unterminated encoded word', head({ Subject: '=?utf-8?Q?a'.repeat(5_000) })],
    ['256 KiB of encoded words', head({}, 'body', `Subject: ${'=?x?B?/w==?= '.repeat(5_000)}\r\n`.repeat(4))],
    ['encoded words up to the limit', head({ Subject: '=?x?B?/w==?= '.repeat(2_500) })],
    ['encoded words that break characters', head({ Subject: '=?utf-8?B?/////w?= '.repeat(3_400) })],
    [
      'encoded words in charsets that alternate',
      head({ Subject: '=?utf-8?Q?=E9?= =?iso-8859-2?Q?=E9?= '.repeat(850) }),
    ],
    [
      'encoded words in charsets that do not exist',
      head({ Subject: Array.from({ length: 3_900 }, (_, index) => `=?x${index}?Q?=E9?=`).join(' ') }),
    ],
    ['quotes that never end in From', head({ From: '"\\'.repeat(1_000) })],
    ['a subject that switches charsets', head({ Subject: '\u001b$B3N\u001b(B '.repeat(6_000) })],
    [
      'a text that switches charsets',
      head({ 'Content-Type': 'text/plain; charset=iso-2022-jp' }, '\u001b$B3N\u001b(B '.repeat(30_000)),
    ],
    ['300 kB of escapes', head({}, '\u001b'.repeat(300_000))],
    ['UTF-7 that switches', head({ 'Content-Type': 'text/plain; charset=utf-7' }, '+AOk-'.repeat(60_000))],
    ['base64 padded everywhere', head({ 'Content-Transfer-Encoding': 'base64' }, 'A='.repeat(150_000))],
    ['base64 with empty lines', head({ 'Content-Transfer-Encoding': 'base64' }, 'QUFB\r\n\r\n'.repeat(40_000))],
    ['uuencode that begins again and again', head({}, 'begin 644 x\r\n'.repeat(25_000))],
    ['10,000 uuencoded files', head({}, 'begin 644 x\r\n#86)C\r\n`\r\nend\r\n'.repeat(10_000))],
    ['a head of lines that are no headers', head({}, 'x', 'abc\r\n'.repeat(50_000))],
    ['empty lines before the head', '\r\n'.repeat(150_000) + head({ Subject: 'x' })],
    ['delimiters of no boundary', head({ 'Content-Type': 'multipart/mixed' }, '--a\r\n'.repeat(60_000))],
    ['20,000 parameters', head({ 'Content-Type': `text/plain${'; a=b'.repeat(20_000)}` })],
    ['10,000 parameter sections', head({ 'Content-Type': `text/plain${sections(10_000)}` })],
    ['unterminated boundary parameter', head({ 'Content-Type': 'multipart/mixed; boundary="abc' }, '--abc\r\n\r\nx')],
    ['multipart without boundary', head({ 'Content-Type': 'multipart/mixed' }, 'shown all the same')],
    ['a boundary of 10 kB', multipart('b'.repeat(10_000), ['\r\nx'])],
    ['a multipart that never ends', multipart('b', ['\r\nx']).replace('--b--', '')],
    ['a multipart that never begins', head({ 'Content-Type': 'multipart/mixed; boundary=b' }, 'x\r\n'.repeat(100_000))],
    [
      '50,000 parts',
      multipart(
        'b',
        Array.from({ length: 50_000 }, () => '\r\nx'),
      ),
    ],
    [
      '50,000 empty parts',
      multipart(
        'b',
        Array.from({ length: 50_000 }, () => ''),
      ),
    ],
    [
      '1,000 parts with encoded names',
      multipart(
        'b',
        Array.from({ length: 1_000 }, () => encodedName()),
      ),
    ],
    ['500 nested multiparts', nested(500)],
    ['500 nested multiparts with one boundary', nested(500, () => 'same')],
    ['almost delimiters', head({ 'Content-Type': `multipart/mixed; boundary=${'a'.repeat(200)}` }, almostDelimiters())],
    ['half a megabyte of dashes', head({ 'Content-Type': 'multipart/mixed; boundary=b' }, '-'.repeat(500_000))],
    ['dashes and letters', head({ 'Content-Type': 'multipart/mixed; boundary=b' }, 'a-'.repeat(250_000))],
    ['500 nested messages', 'Content-Type: message/rfc822\r\n\r\n'.repeat(500)],
    ['unterminated base64', head({ 'Content-Transfer-Encoding': 'base64' }, `${'QUJD'.repeat(100_000)}QU`)],
    ['half a megabyte of padding', head({ 'Content-Transfer-Encoding': 'base64' }, '='.repeat(500_000))],
    [
      'half a megabyte of soft breaks',
      head({ 'Content-Transfer-Encoding': 'quoted-printable' }, '=\r\n'.repeat(170_000)),
    ],
    [
      'blanks after escapes',
      head({ 'Content-Transfer-Encoding': 'quoted-printable' }, `=${' '.repeat(999)}`.repeat(500)),
    ],
    ['flowed lines', head({ 'Content-Type': 'text/plain; format=flowed; delsp=yes' }, 'x \r\n'.repeat(125_000))],
    ['flowed quotes', head({ 'Content-Type': 'text/plain; format=flowed' }, `${'>'.repeat(999)} \r\n`.repeat(500))],
    ['unknown charset', head({ 'Content-Type': `text/plain; charset=${'x'.repeat(60_000)}` }, '\u00e9')],
    ['cid references', related(`<img src="cid:%">`.repeat(60_000))],
    ['text over a megabyte', head({}, '\u20ac'.repeat(400_000))],
    ['HTML over a megabyte', head({ 'Content-Type': 'text/html; charset=utf-8' }, '<b>\u20ac</b>'.repeat(150_000))],
  ]
  const encoder = new TextEncoder()
  return [
    ...mails.map(([name, text]) => ({ name, raw: encoder.encode(text) })),
    // Bytes that are not UTF-8, so that every header is decoded twice.
    {
      name: 'raw bytes in 900 headers',
      raw: encoder.encode('X-A: ~~\r\n'.repeat(900)).map((b) => (b === 126 ? 255 : b)),
    },
    { name: 'half a megabyte of bytes that are no text', raw: new Uint8Array(500_000).fill(255) },
  ]
}

/** A mail with the given headers. `more` are raw header lines. */
function head(headers: Record<string, string>, body = 'body', more = ''): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${lines.join('')}${more}\r\n${body}`
}

/** Parts include their headers. */
function multipart(boundary: string, parts: string[], type = 'mixed'): string {
  const delimited = parts.map((part) => `--${boundary}\r\n${part}\r\n`)
  return head(
    { 'Content-Type': `multipart/${type}; boundary="${boundary}"` },
    `${delimited.join('')}--${boundary}--\r\n`,
  )
}

function nested(depth: number, boundaryOf = (level: number) => `b${level}`): string {
  const levels = Array.from({ length: depth }, (_, level) => {
    const boundary = boundaryOf(level)
    return `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n`
  })
  return `${levels.join('')}\r\nin the middle\r\n`
}

function related(html: string): string {
  const image = 'Content-Type: image/png\r\nContent-ID: <a@b>\r\n\r\nx'
  return multipart('b', [`Content-Type: text/html\r\n\r\n${html}`, image], 'related')
}

function encodedName(): string {
  return `Content-Disposition: attachment; filename="${'=?x?B?/w==?= '.repeat(70)}"\r\n\r\nx`
}

function sections(count: number): string {
  return Array.from({ length: count }, (_, index) => `; n*${index}=x`).join('')
}

function almostDelimiters(): string {
  return `--${'a'.repeat(199)}b\r\n`.repeat(2_500)
}
