import type { SeededRandom } from '../support/seeded-random.ts'
import { base64, isUtf8 } from './byte-text.ts'
import { encodeIn, marked, utf16 } from './charset-bytes.ts'
import { anyCase, SENDER, type Variant, withBody, write } from './generated-mail.ts'
import { anyText, japanese, sample, type Sample } from './sample-texts.ts'
import { encodeTransfer, inLines, utf7, uuencode } from './transfer.ts'

type Legacy = Sample & { bytes: string }

/** In a charset that the bytes do not reveal. */
function legacy(random: SeededRandom): Legacy {
  for (;;) {
    const found = sample(random, ({ name }) => name !== 'utf-8' && name !== 'iso-2022-jp')
    const bytes = encodeIn(found.charset.name, found.text)
    if (!isUtf8(bytes)) return { ...found, bytes }
  }
}

export const labelledCharset: Variant = (random) => {
  const { text, charset, label } = sample(random)
  const { header, content } = encodeTransfer(random, encodeIn(charset.name, text))
  const quoted = random.pick([label, `"${label}"`, `"${label}"; format=fixed`])
  const type = `${anyCase(random, 'Content-Type')}: text/plain; ${anyCase(random, 'charset')}=${quoted}`
  return withBody(random, [type, ...header], content, text)
}

export const charsetOnOuterMultipart: Variant = (random) => {
  const { text, label, bytes } = legacy(random)
  const isHtml = random.chance(0.3)
  const { header, content } = encodeTransfer(random, isHtml ? `<p>${bytes}</p>` : bytes)
  const type = isHtml ? ['Content-Type: text/html'] : random.pick([[], ['Content-Type: text/plain']])
  let part = [...type, ...header, '', content].join('\r\n')
  for (let level = 1 + random.below(3); level > 0; level--) {
    const charset = level === 1 ? `; charset=${random.pick([label, `"${label}"`])}` : ''
    const edge = `edge${level}`
    part = [`Content-Type: multipart/mixed${charset}; boundary=${edge}`, '', `--${edge}`, part, `--${edge}--`, ''].join(
      '\r\n',
    )
  }
  return { mail: [SENDER, 'Subject: s', part].join('\r\n'), expected: { text } }
}

export const charsetOnlyInPage: Variant = (random) => {
  const { text, label, bytes } = legacy(random)
  const meta = random.pick([
    `<meta charset="${label}">`,
    `<META CHARSET=${label}>`,
    `<meta charset='${label}'/>`,
    `<meta http-equiv="Content-Type" content="text/html; charset=${label}">`,
    `<meta content="text/html;charset=${label}" http-equiv=content-type />`,
  ])
  const page = `<!doctype html><html><head><title></title>${meta}</head><body><p>${bytes}</p></body></html>`
  const { header, content } = encodeTransfer(random, page)
  const type = random.pick([
    'text/html',
    'text/html; charset=us-ascii',
    'text/html; charset=unknown-8bit',
    'text/html; format=flowed',
  ])
  return withBody(random, [`Content-Type: ${type}`, ...header], content, text)
}

export const undeclaredIso2022: Variant = (random) => {
  const text = japanese(random)
  const bytes = encodeIn('iso-2022-jp', text)
  const isHtml = random.chance(0.3)
  const { header, content } = encodeTransfer(random, isHtml ? `<p>${bytes}</p>` : bytes)
  const type = isHtml
    ? 'text/html'
    : random.pick(['text/plain', 'text/plain; charset=us-ascii', 'text/plain; charset="iso-8859-1"'])
  return withBody(random, [`Content-Type: ${type}`, ...header], content, text)
}

export const utf16ByMark: Variant = (random) => {
  const text = anyText(random)
  const isLittle = random.chance(0.5)
  const isMarked = random.chance(0.7)
  const bytes = isMarked ? marked(text, isLittle) : utf16(text, isLittle)
  const exact = isLittle ? 'utf-16le' : 'utf-16be'
  const label = isMarked
    ? random.pick(['utf-16', 'UTF-16', 'unicode', 'utf-8', exact, ''])
    : random.pick([exact, exact.toUpperCase()])
  const { header, content } = encodeTransfer(random, bytes, ['base64', 'quoted-printable'])
  return withBody(random, [`Content-Type: text/plain${label && `; charset=${label}`}`, ...header], content, text)
}

export const utf7Body: Variant = (random) => {
  const text = `${anyText(random)}\n1+1 ${anyText(random)}`
  const bytes = utf7(random, text.replace('\n', '\r\n'))
  const { header, content } = encodeTransfer(random, bytes, ['8bit', 'base64', 'quoted-printable'])
  return withBody(
    random,
    [`Content-Type: text/plain; charset=${random.pick(['utf-7', 'UTF-7', 'unicode-1-1-utf-7'])}`, ...header],
    content,
    text,
  )
}

export const uuencodedBody: Variant = (random) => {
  const { text, charset, label } = sample(random)
  const zero = random.pick(['`', ' '] as const)
  const encoded = uuencode(encodeIn(charset.name, `${text} ${text}`), { name: 'text.txt', zero })
  const type = `Content-Type: text/plain; charset=${label}`
  const encoding = random.pick(['x-uuencode', 'uuencode', 'X-UUE', 'x-uu', 'uue'])
  return withBody(random, [type, `Content-Transfer-Encoding: ${encoding}`], encoded, `${text} ${text}`)
}

export const uuencodedFile: Variant = (random) => {
  const bytes = Array.from({ length: 1 + random.below(200) }, () => String.fromCharCode(random.below(256))).join('')
  const name = random.pick(['data.bin', 'my file.doc', 'a'])
  const file = uuencode(bytes, { name, zero: random.pick(['`', ' '] as const) })
  const mail = write(random, [SENDER, 'Subject: s'], `See:\r\n\r\n${file}\r\n${random.pick(['', '\r\nBye\r\n'])}`)
  return { mail, expected: { attachments: [name], contents: [bytes] } }
}

const FOOTERS = [
  '-- \r\nList footer, see https://list.example/',
  '_______________________________________________\r\nshop mailing list\r\nshop@list.example',
  'This message was scanned. Do not reply.',
  '\r\n*** CONFIDENTIAL ***',
]

export const textAfterBase64: Variant = (random) => {
  const { text, charset, label } = sample(random, ({ name }) => name !== 'iso-2022-jp')
  // Without an empty line, padding marks the end of the data.
  let content = text
  while (encodeIn(charset.name, content).length % 3 === 0) content += '!'
  const encoded = inLines(base64(encodeIn(charset.name, content)), 76)
  const body = `${encoded}\r\n${random.pick(['', '\r\n'])}${random.pick(FOOTERS)}\r\n`
  return withBody(
    random,
    [`Content-Type: text/plain; charset=${label}`, 'Content-Transfer-Encoding: base64'],
    body,
    content,
  )
}

/** Each piece was encoded and padded separately. */
export const base64InPieces: Variant = (random) => {
  const { text, charset, label } = sample(random)
  const bytes = encodeIn(charset.name, `${text} ${text}`)
  const cut = 1 + random.below(bytes.length - 1)
  const encoded = [bytes.slice(0, cut), bytes.slice(cut)].map((piece) => base64(piece)).join('\r\n')
  return withBody(
    random,
    [`Content-Type: text/plain; charset=${label}`, 'Content-Transfer-Encoding: base64'],
    encoded,
    `${text} ${text}`,
  )
}

/** A program that sets the header but does not encode. */
export const plainUnderBase64: Variant = (random) => {
  const sentence = `your code is ${100_000 + random.below(900_000)}. It expires in ten minutes.`
  const { text, charset, label } = sample(random, ({ name }) => name !== 'iso-2022-jp')
  const plain = random.pick([sentence, `Hello,\n\n${sentence}`, `Hi Ann!\n${sentence}`, `${text}\n\n${sentence}`])
  const isPage = random.chance(0.3)
  const content = encodeIn(charset.name, isPage ? `<p>${plain.replaceAll('\n', '<br>')}</p>` : plain).replaceAll(
    '\n',
    '\r\n',
  )
  const type = `Content-Type: text/${isPage ? 'html' : 'plain'}; charset=${label}`
  return withBody(random, [type, 'Content-Transfer-Encoding: base64'], content, plain)
}
