import { base64, utf8 } from '../decoding/byte-text.ts'
import { inLines } from '../decoding/transfer.ts'
import { repeatedTo, type OddText } from '../support/odd-texts.ts'
import type { SeededRandom } from '../support/seeded-random.ts'
import type { HostileHtml } from './hostile-html.ts'
import { headerBlock, parameter } from './mail-headers.ts'

/** What texts are made of. */
export type Texts = {
  /** The characters of each block of Unicode. */
  rows: OddText[]
  /** The block that this mail has to contain. */
  turn: OddText
  others: OddText[]
  html: HostileHtml[]
  /** The least length of a body, for large mail. */
  sizeMin: number
  encoders: ((text: string, random: SeededRandom) => string)[]
}

/** What mutations insert. */
export const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  '\xff',
  '\xe2\x80',
  '\r\n\r\n',
  '--',
  '\r\n--b1\r\n',
  '\r\n--b1--\r\n',
  '=?utf-8?B?',
  '?=',
  '=?',
  '"',
  '(',
  '<',
  ';',
  ':',
  '=',
  '\x1b$B',
  '+AOk-',
  'begin 644 x\r\n',
  '&#',
  '<!--',
  'Content-Type: multipart/mixed; boundary=b1\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  'a'.repeat(2_000),
]

const KIB = 1024
/** Most texts are short, and few are as long as a parser reads. */
const SIZES: [share: number, bytesMax: number][] = [
  [0.8, KIB],
  [0.75, 16 * KIB],
  [0.9, 128 * KIB],
  [1, 1024 * KIB],
]
/** In headers and names. The limit of a header is 64 KiB. */
const SHORT_MAX = 80
const LONG_HEADER_BYTES_MAX = 70 * KIB
const RUN_BYTES_MIN = 4 * KIB
const RUN_BYTES_MAX = 128 * KIB
const MIX_CHARACTERS_MAX = 400
const MIX_ROWS = 6
const PARTS_MAX = 5
const MANY_PARTS = 2_000
/** Base64 in base64 grows by a third each time: a deep tree would be longer than any string. */
const ENCODED_CHARS_MAX = 1_000_000

type Level = { depth: number; isTop: boolean; boundary?: string }

/** A mail or a part: headers and a body, which may be parts in turn. One character per byte. */
export function entity(random: SeededRandom, texts: Texts, level: Level): string {
  const { depth } = level
  if (depth > 0 && random.chance(depth > 20 ? 1 : 0.7)) {
    return random.chance(0.25) ? wrapped(random, texts, level) : multipart(random, texts, level)
  }
  return leaf(random, texts, level)
}

function wrapped(random: SeededRandom, texts: Texts, { depth, isTop }: Level): string {
  const type = random.pick(['message/rfc822', 'message/rfc822', 'message/global', 'message/partial', 'message/x'])
  const inner = entity(random, texts, { depth: depth - 1, isTop: depth < 20 })
  const body = random.chance(0.1) && inner.length < ENCODED_CHARS_MAX ? inLines(base64(inner), 76) : inner
  const encoding = random.chance(0.1) ? ['Content-Transfer-Encoding: base64'] : []
  return `${headers(random, texts, isTop, [`Content-Type: ${type}`, ...encoding])}\r\n${body}`
}

/** With the boundary that it names, or with one that is missing, doubled, or the beginning of another. */
function multipart(random: SeededRandom, texts: Texts, { depth, isTop, boundary: outer = 'b' }: Level): string {
  const own = random.pick([`b${depth}`, `b${depth}`, `b${depth}`, outer, `${outer}${depth}`, outer.slice(0, -1), ''])
  const used = random.chance(0.95) ? own : random.pick([`${own}x`, '', outer])
  const named = random.pick([
    () => `; boundary="${own}"`,
    () => `; boundary=${own}`,
    () => parameter(random, 'boundary', own),
    () => `; boundary="${own}`,
    () => `; boundary=${own}; boundary=other`,
    () => '',
  ])()
  const type = random.pick(['mixed', 'alternative', 'related', 'digest', 'signed', 'report', 'form-data', 'x', ''])
  const isMany = random.chance(0.005)
  const count = isMany ? MANY_PARTS : depth > 20 ? 1 : random.below(PARTS_MAX)
  const lineEnd = random.pick(['\r\n', '\r\n', '\r\n', '\n', ' \r\n', '\t\r\n'])
  let body = random.pick(['', 'preamble\r\n', `--${outer}\r\n`])
  for (let index = 0; index < count; index++) {
    const part = isMany ? '\r\nx' : entity(random, texts, { depth: depth - 1, isTop: false, boundary: own })
    body += `--${used}${lineEnd}${part}\r\n`
  }
  const end = random.pick([
    `--${used}--\r\n`,
    `--${used}--\r\n`,
    `--${used}--\r\nepilogue`,
    '',
    `--${used}-`,
    `--${used}`,
  ])
  return `${headers(random, texts, isTop, [`Content-Type: multipart/${type}${named}`])}\r\n${body}${end}`
}

const CHARSETS = [
  'utf-8',
  'UTF8',
  'us-ascii',
  'iso-8859-1',
  'windows-1252',
  'iso-2022-jp',
  'utf-16',
  'utf-7',
  'gb18030',
  'big5',
  'koi8-r',
  'shift_jis',
  'euc-kr',
  'cp437',
  'x-unknown',
  '',
  '"utf-8',
  "utf-8''",
  '\xff',
  'utf-8; charset=utf-16',
]
const ENCODINGS = [
  'base64',
  'quoted-printable',
  '8bit',
  '7bit',
  'binary',
  'x-uuencode',
  'uuencode',
  'base65',
  '',
  'BASE64 x',
]
const TYPES = [
  'text/plain',
  'text/plain',
  'text/plain',
  'text/plain; format=flowed; delsp=yes',
  'text/calendar',
  'text',
  'x/y',
  'image/png',
  'image/svg+xml',
  'application/octet-stream',
  'application/json',
  'message/delivery-status',
  '/',
  '',
]

function leaf(random: SeededRandom, texts: Texts, { isTop }: Level): string {
  const isHtml = random.chance(0.3)
  const type = isHtml ? 'text/html' : random.pick(TYPES)
  const content = random.pick(texts.encoders)(isHtml ? page(random, texts) : oddText(random, texts), random)
  const encoding = random.pick(ENCODINGS)
  const lines = random.chance(0.9) ? [`Content-Type: ${type}; charset=${random.pick(CHARSETS)}`] : []
  if (random.chance(0.7)) lines.push(`Content-Transfer-Encoding: ${encoding}`)
  if (random.chance(0.3)) {
    const kind = random.pick(['attachment', 'inline', 'x', ''])
    lines.push(`Content-Disposition: ${kind}${parameter(random, 'filename', shortText(random, texts))}`)
  }
  if (random.chance(0.2)) lines.push(`Content-ID: <${random.pick(['a@b', utf8(shortText(random, texts)), '%', ''])}>`)
  // Encoded as the header says, or in another way.
  const applied = random.chance(0.85) ? encoding : random.pick(ENCODINGS)
  return `${headers(random, texts, isTop, lines)}\r\n${encoded(random, applied, content)}\r\n`
}

/** A mail whose subject and text are the mail's block, again and again. */
export function longRun(random: SeededRandom, texts: Texts): string {
  const bytes = RUN_BYTES_MIN + random.below(RUN_BYTES_MAX - RUN_BYTES_MIN)
  const encoding = random.pick(['base64', 'quoted-printable', '8bit'])
  const lines = [
    `Content-Type: text/${random.pick(['plain', 'html'])}; charset=utf-8`,
    `Content-Transfer-Encoding: ${encoding}`,
  ]
  const subject = `Subject: ${utf8(texts.turn.unit.replaceAll(/[\r\n]/g, ''))}`
  const body = encoded(random, encoding, utf8(repeatedTo(bytes, texts.turn)))
  return `${headers(random, texts, true, [subject, ...lines])}\r\n${body}\r\n`
}

function encoded(random: SeededRandom, encoding: string, content: string): string {
  if (encoding.toLowerCase().startsWith('base64')) return inLines(base64(content), random.pick([4, 76, 1_000]))
  if (encoding !== 'quoted-printable') return content
  const soft = random.pick(['=\r\n', '=\n', '= \r\n', ''])
  return content.replaceAll(/[^ -<>-~]/g, (byte) => {
    const hex = byte.charCodeAt(0).toString(16).padStart(2, '0')
    return `=${hex}${byte === '\n' ? soft : ''}`
  })
}

function headers(random: SeededRandom, texts: Texts, isTop: boolean, own: string[]): string {
  return headerBlock(random, { isTop, own, text: () => shortText(random, texts) })
}

function page(random: SeededRandom, texts: Texts): string {
  if (random.chance(0.5)) return random.pick(texts.html).ofLength(sizeOf(random, texts))
  const text = oddText(random, texts)
  return `<meta charset=${random.pick(CHARSETS)}><p title="${text.slice(0, 500)}">${text}<img src="cid:a@b"><a href="https://a.test/${text.slice(0, 500)}">${text.slice(0, 500)}</a>`
}

/** A long run of the mail's block or of another unit, or characters of several blocks. */
function oddText(random: SeededRandom, texts: Texts): string {
  const bytes = sizeOf(random, texts)
  if (random.chance(0.5)) return repeatedTo(bytes, texts.turn)
  if (random.chance(0.6)) return repeatedTo(bytes, random.pick(texts.others))
  return repeatedTo(bytes, { name: 'mix', unit: mixOf(random, texts) })
}

function shortText(random: SeededRandom, texts: Texts): string {
  if (random.chance(0.9))
    return random.pick([mixOf(random, texts), texts.turn.unit]).slice(0, 1 + random.below(SHORT_MAX))
  return repeatedTo(
    1 + random.below(LONG_HEADER_BYTES_MAX),
    random.chance(0.5) ? texts.turn : random.pick(texts.others),
  )
}

function mixOf(random: SeededRandom, { rows }: Texts): string {
  const characters = Array.from({ length: MIX_ROWS }, () => random.pick(rows).unit).join('')
  const all = Array.from(characters)
  return Array.from({ length: 1 + random.below(MIX_CHARACTERS_MAX) }, () => random.pick(all)).join('')
}

function sizeOf(random: SeededRandom, { sizeMin }: Texts): number {
  const [, bytesMax] = SIZES.find(([share]) => random.chance(share))!
  return Math.max(sizeMin, 1 + random.below(bytesMax))
}
