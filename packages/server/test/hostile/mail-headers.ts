import { base64, utf8 } from '../decoding/byte-text.ts'
import { pieces } from '../decoding/generated-mail.ts'
import type { SeededRandom } from '../support/seeded-random.ts'

type HeaderOptions = {
  /** Of a mail, which has senders and a subject, and not of a part. */
  isTop: boolean
  own: string[]
  text: () => string
}

const MANY_HEADERS = 1_500
const RECEIVED_MAX = 40
/** A line with more is folded, or stays as it is. */
const FOLD_CHARACTERS = 60

/** Lines with their ends, one character per byte. Some break the rules of RFC 5322. */
export function headerBlock(random: SeededRandom, { isTop, own, text }: HeaderOptions): string {
  const lines = [...own]
  if (isTop) {
    if (random.chance(0.9)) lines.push(`Subject: ${word(random, text())}`)
    if (random.chance(0.9)) lines.push(`From: ${addresses(random, text)}`)
    for (const name of ['To', 'Cc', 'Reply-To', 'Sender']) {
      if (random.chance(0.3)) lines.push(`${name}: ${addresses(random, text)}`)
    }
    if (random.chance(0.4))
      lines.push(`Date: ${random.pick(['Mon, 16 Nov 2026 04:00:00 +0000', '0', '99999999999', ''])}`)
    if (random.chance(0.4))
      lines.push(`Message-ID: ${random.pick(['<1@a.test>', '<', `<${'x'.repeat(900)}@a>`, '<<>>'])}`)
    if (random.chance(0.1))
      lines.push(...Array.from({ length: random.below(RECEIVED_MAX) }, () => 'Received: from a by b'))
    if (random.chance(0.005)) lines.push(...Array.from({ length: MANY_HEADERS }, (_, index) => `X-${index}: y`))
  }
  while (random.chance(0.3)) lines.push(oddLine(random, text))
  const end = random.chance(0.9) ? '\r\n' : random.pick(['\n', '\r', '\r\r\n', '\0\r\n'])
  return shuffled(random, lines)
    .map((line) => `${random.chance(0.2) ? folded(random, line) : line}${end}`)
    .join('')
}

/** A parameter of RFC 2045, RFC 2231 with or without sections, or with an encoded word. */
export function parameter(random: SeededRandom, name: string, value: string): string {
  const percent = (text: string) =>
    Array.from(utf8(text), (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
  const sections = () => pieces(random, value.slice(0, 2_000), 40)
  return random.pick([
    () => `; ${name}="${utf8(value).replaceAll(/["\r\n]/g, '')}"`,
    () => `; ${name}=${utf8(value).replaceAll(/[\s;]/g, '')}`,
    () => `; ${name}="${word(random, value)}"`,
    () => `; ${name}*=utf-8''${percent(value)}`,
    () => `; ${name}*=${random.pick(["x'y'", "'", '', "utf-16'en'"])}${percent(value)}`,
    () =>
      sections()
        .map((part, index) => `; ${name}*${index}*=${index === 0 ? "utf-8''" : ''}${percent(part)}`)
        .join(''),
    () =>
      sections()
        .map((part, index) => `; ${name}*${index}="${utf8(part).replaceAll(/["\r\n]/g, '')}"`)
        .join(''),
    () =>
      shuffled(
        random,
        sections().map((part, index) => `; ${name}*${index * 2}*=${percent(part)}`),
      ).join(''),
    () => `; ${name}*999999999999=x; ${name}*-1=y; ${name}*0*0=z; ${name}**=q`,
    () => `; ${name}=a; ${name}="b"; ${name}*=c`,
    () => `; ${name}`,
    () => `; ${name}="${utf8(value).replaceAll('\n', '')}\\`,
  ])()
}

const LABELS = ['utf-8', 'UTF-8*en', 'iso-8859-1', 'iso-2022-jp', 'x-unknown', 'utf-7', '', 'utf-16', 'gb18030']

/** As it is, or in encoded words (RFC 2047) that may split characters and lie about their charset. */
function word(random: SeededRandom, text: string): string {
  const bytes = utf8(text).replaceAll(/[\r\n]/g, ' ')
  if (random.chance(0.4)) return bytes
  const words = pieces(random, bytes.slice(0, 20_000), random.pick([10, 45, 400])).map((part) => {
    const label = random.pick(LABELS)
    if (random.chance(0.5)) return `=?${label}?${random.pick(['B', 'b'])}?${base64(part)}?=`
    const escaped = part.replaceAll(/[^A-Za-z0-9]/g, (byte) => `=${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
    return `=?${label}?${random.pick(['Q', 'q', 'X', ''])}?${escaped}${random.pick(['?=', '?=', '?=', '?', ''])}`
  })
  return words.join(random.pick([' ', '\r\n ', '', '\t', '\r\n\t\r\n ']))
}

function addresses(random: SeededRandom, text: () => string): string {
  const list = Array.from({ length: 1 + random.below(3) }, () => {
    const name = word(random, text())
    const local = random.pick([
      'a',
      '"a b"',
      'a.b+c',
      utf8(text())
        .replaceAll(/[\s<>]/g, '')
        .slice(0, 300),
      '',
    ])
    const domain = random.pick(['b.test', '[127.0.0.1]', 'b\xc3\xbc.test', '', 'b.test.', `${'c'.repeat(300)}.test`])
    return random.pick([
      `${name} <${local}@${domain}>`,
      `"${name.replaceAll('"', '')}" <${local}@${domain}>`,
      `${local}@${domain} (${name})`,
      `<@x.test,@y.test:${local}@${domain}>`,
      `${name}: ${local}@${domain}, c@d.test;`,
      `"${name}`,
      `(${'('.repeat(random.below(50))}`,
      `<${'<'.repeat(random.below(50))}${local}`,
      local,
    ])
  })
  return list.join(random.pick([', ', ',', ';', ' ', ',\r\n ']))
}

function oddLine(random: SeededRandom, text: () => string): string {
  return random.pick([
    () => `X-Text: ${word(random, text())}`,
    () => utf8(text()).replaceAll(/[\r\n]/g, ' '),
    () =>
      `${utf8(text())
        .slice(0, 200)
        .replaceAll(/[\r\n:]/g, '')}: x`,
    () => `: no name`,
    () => `Subject : ${word(random, text())}`,
    () => ' a continuation of nothing',
    () =>
      `Content-Type: ${random.pick(['text/html', 'multipart/mixed; boundary=b1', 'text/plain; charset=utf-16', ';;;'])}`,
    () => `Content-Transfer-Encoding: ${random.pick(['base64', 'quoted-printable', '(comment) base64', 'x'])}`,
    () => `Auto-Submitted: ${'y'.repeat(random.below(3_000))}`,
    () => `X-Nul: \0\x01\x7f\xff`,
  ])()
}

/** Breaks at spaces, in the middle of words, or into empty lines with a space. */
function folded(random: SeededRandom, line: string): string {
  const fold = random.pick(['\r\n ', '\r\n\t', '\n ', '\r\n \r\n ', '\r\n'])
  return pieces(random, line, FOLD_CHARACTERS).join(fold)
}

function shuffled<Item>(random: SeededRandom, items: Item[]): Item[] {
  const rest = [...items]
  return items.map(() => rest.splice(random.below(rest.length), 1)[0]!)
}
