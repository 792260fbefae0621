import { base64, body, head, lines, multipart, part, utf8, type GoldenMail } from './golden-mail.ts'

const plain = 'Content-Type: text/plain; charset=utf-8'
const encoded = (name: string) => [plain, `Content-Transfer-Encoding: ${name}`]
const b = (content: string) => base64(utf8(content))
/** One line of uuencode of at most 45 bytes. */
const uuLine = (bytes: string) => {
  const byte = (at: number) => bytes.charCodeAt(at) || 0
  const sign = (value: number) => String.fromCharCode(value === 0 ? 96 : value + 32)
  let line = sign(bytes.length)
  for (let at = 0; at < bytes.length; at += 3) {
    const three = (byte(at) << 16) | (byte(at + 1) << 8) | byte(at + 2)
    line += sign(three >> 18) + sign((three >> 12) & 63) + sign((three >> 6) & 63) + sign(three & 63)
  }
  return line
}
const uuencode = (bytes: string, name: string) => lines(`begin 644 ${name}`, uuLine(bytes), '`', 'end')

/** Content-Transfer-Encoding, kept and broken. */
export const transfer: GoldenMail[] = [
  body('base64', encoded('base64'), b('Café'), 'Café'),
  body('base64 in upper case and with blanks', encoded(' BASE64 '), b('Café'), 'Café'),
  body('base64 named in quotes', encoded('"base64"'), b('Café'), 'Café'),
  body('base64 with a semicolon after it', encoded('base64;'), b('Café'), 'Café'),
  body('base64 with a comment', encoded('base64 (as ever)'), b('Café'), 'Café'),
  body('text after base64 padding', encoded('base64'), `${b('Café 1')}\r\n\r\n-- \r\nlist footer\r\n`, 'Café 1'),
  body(
    'a footer right under base64 padding',
    encoded('base64'),
    `${base64('Café'.replace('é', 'e') + '!!!')}=\r\n_______\r\nUnsubscribe here: x\r\n`,
    'Cafe!!!',
  ),
  body('base64 with line noise', encoded('base64'), `${b('Café').slice(0, 3)}\x07!*\r\n ${b('Café').slice(3)}`, 'Café'),
  body('base64 without its padding', encoded('base64'), 'Q2Fmw6k', 'Café'),
  body('base64 pieces that were encoded apart', encoded('base64'), `${b('Café ')}\r\n${b('noir!')}`, 'Café noir!'),
  body('base64 pieces joined without a break', encoded('base64'), `${base64('Ca')}${base64('fe')}`, 'Cafe'),
  body('base64 with bare line feeds', encoded('base64'), 'Q2Fm\nw6k=\n', 'Café'),
  body('an empty base64 body', encoded('base64'), '', ''),
  body('quoted-printable', encoded('quoted-printable'), 'Caf=C3=A9 =E2=82=AC', 'Café €'),
  body('quoted-printable in lower-case hex', encoded('Quoted-Printable'), 'caf=c3=a9', 'café'),
  body('quoted-printable with soft breaks', encoded('quoted-printable'), 'Ca=\r\nf=C3=\r\n=A9', 'Café'),
  body('blanks after a soft break', encoded('quoted-printable'), 'Ca= \t\r\nf=C3=A9', 'Café'),
  body('a soft break with a bare line feed', encoded('quoted-printable'), 'Ca=\nf=C3=A9\n', 'Café'),
  body('blanks at the end of a line stay', encoded('quoted-printable'), 'one   \r\ntwo', 'one   \ntwo'),
  body('an equals sign at the very end', encoded('quoted-printable'), 'Caf=C3=A9=', 'Café'),
  body('an equals sign that is no escape', encoded('quoted-printable'), 'a=b =XY =C3=A9', 'a=b =XY é'),
  body('raw bytes in quoted-printable', encoded('quoted-printable'), `Caf${utf8('é')} =E2=82=AC`, 'Café €'),
  body('8bit', encoded('8bit'), utf8('Café'), 'Café'),
  body('binary', encoded('binary'), utf8('Café'), 'Café'),
  body('an unknown encoding', encoded('8-bit'), utf8('Café'), 'Café'),
  body('a misspelt encoding', encoded('quoted/printable'), 'Caf=C3=A9', 'Café'),
  body('uuencode by its label', encoded('x-uuencode'), uuencode(utf8('Ваш код'), 'code.txt'), 'Ваш код'),
  body('uuencode by another label', encoded('uuencode'), uuencode(utf8('Ваш код'), 'code.txt'), 'Ваш код'),
  body(
    'uuencode by a third label, with blanks for zero',
    encoded('x-uue'),
    lines('begin 644 -', ',2&5L;&\\L(&9I;&4*', ' ', 'end'),
    'Hello, file',
  ),
  {
    name: 'a uuencoded attachment by its label',
    mail:
      head +
      multipart('mixed', [
        part('text/plain', 'see'),
        part('image/gif; name="a.gif"', uuencode('GIF89a\0\x01', 'a.gif'), 'Content-Transfer-Encoding: x-uuencode'),
      ]),
    expected: { text: 'see', attachments: ['a.gif'], contents: ['GIF89a\0\x01'] },
  },
  {
    name: 'a uuencoded file in the text',
    mail: head + lines('', 'See the file.', '', uuencode('Hello \xff', 'data.bin'), '', 'Bye', ''),
    expected: { attachments: ['data.bin'], contents: ['Hello \xff'] },
  },
  {
    name: 'two uuencoded files in the text',
    mail: head + lines('', 'Two:', uuencode('one', 'one.txt'), uuencode('two', 'two names.txt'), ''),
    expected: { attachments: ['one.txt', 'two names.txt'], contents: ['one', 'two'] },
  },
  body(
    'a line that begins like uuencode',
    [plain],
    'begin 644 things\r\nthat we like\r\nend',
    'begin 644 things\nthat we like\nend',
  ),
  body('carriage returns alone', [plain], 'one\rtwo', 'one\ntwo'),
  {
    name: 'a mail of bare line feeds',
    mail: `Subject: s\nFrom: a@b.example\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nhi\n--x--\n`,
    expected: { subject: 's', from: 'a@b.example', text: 'hi' },
  },
  {
    name: 'a mail of bare carriage returns',
    mail: 'Subject: s\rFrom: a@b.example\r\rone\rtwo',
    expected: { subject: 's', from: 'a@b.example', text: 'one\ntwo' },
  },
  {
    name: 'line ends of three kinds in one head',
    mail: 'From: a@b.example\nSubject: s\r\nX-One: 1\n\r\nhi',
    expected: { subject: 's', from: 'a@b.example', text: 'hi' },
  },
  body('flowed text', ['Content-Type: text/plain; format=flowed'], 'one \r\ntwo\r\nthree', 'one two\nthree'),
  body(
    'flowed text with DelSp',
    ['Content-Type: text/plain; format=flowed; delsp=yes'],
    'on \r\ne\r\nthree',
    'one\nthree',
  ),
  body(
    'the signature line in flowed text',
    ['Content-Type: text/plain; format=Flowed'],
    'one\r\n-- \r\nme',
    'one\n-- \nme',
  ),
  body(
    'a UTF-7 body in base64',
    ['Content-Type: text/plain; charset=utf-7', 'Content-Transfer-Encoding: base64'],
    base64('C+APM-digo'),
    'Código',
  ),
  body('a BOM and quoted-printable', encoded('quoted-printable'), '=EF=BB=BFhi', 'hi'),
  body(
    'windows-1252 in quoted-printable, undeclared',
    ['Content-Type: text/plain', 'Content-Transfer-Encoding: quoted-printable'],
    '=93hi=94',
    '“hi”',
  ),
]
