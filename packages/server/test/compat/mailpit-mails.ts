import { numberedRandom, type SeededRandom } from '../support/seeded-random.ts'
import type { ComparedMail } from './comparison.ts'

export const PEOPLE = ['anna', 'ben', 'carla+news', 'dora+42+late', 'emil_x']
export const DOMAINS = ['shop.example', 'mail.example']
export const WORDS = [
  'invoice',
  'Welcome',
  'code',
  'reset',
  'Grüße',
  'order',
  'ÄRGER',
  'report',
  'alpha',
  'beta',
  '50%',
  'a_b',
]
export const TAGS = ['red', 'Blue', 'late shift']
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SEED = 20_261_118
const RECIPIENTS_SEED = 22

export function comparedMail(number: number): ComparedMail & { to: string; raw: string } {
  const random = numberedRandom(SEED, number)
  const address = () => `${random.pick(PEOPLE)}@${random.pick(DOMAINS)}`
  const to = address()
  const from = `sender${random.below(4)}@app.example`
  // In no header.
  const isHidden = random.chance(0.1)
  const headers = [
    `From: ${random.pick(['', 'Shop ', '"Lee, Ann" ', '=?utf-8?q?J=C3=BCrgen?= '])}<${from}>`,
    isHidden ? 'To: undisclosed <list@other.example>' : `To: ${random.pick(['', 'Test User '])}<${to}>`,
    ...(random.chance(0.25) ? [`Cc: ${address()}, Copy <${address()}>`] : []),
    // Mailpit forgets a hidden recipient if there is a Bcc header.
    ...(!isHidden && random.chance(0.15) ? [`Bcc: ${address()}`] : []),
    ...(random.chance(0.3) ? [`Reply-To: Help <help${random.below(3)}@app.example>`] : []),
    `Subject: ${subject(random)}`,
    ...(random.chance(0.9) ? [`Date: Tue, ${10 + random.below(18)} Nov 2026 10:0${random.below(10)}:00 +0200`] : []),
    `Message-ID: <m${number}.${random.below(1000)}@app.example>`,
    ...(random.chance(0.2) ? [`X-Tags: ${random.pick(TAGS)}, ${random.pick(TAGS)}`] : []),
    ...(random.chance(0.2) ? [`List-Unsubscribe: ${random.pick(UNSUBSCRIBES)}`] : []),
    ...(random.chance(0.1) ? ['Return-Path: <bounce@app.example>'] : []),
    'MIME-Version: 1.0',
  ]
  return { from, to, raw: [...headers, ...body(random), ''].join('\r\n') }
}

/** Also to those who get a copy, and to some whom no header names. */
export function withMoreRecipients(number: number): ComparedMail {
  const random = numberedRandom(RECIPIENTS_SEED, number)
  const { from, to, raw } = comparedMail(number)
  const copies = /^Cc: (.*)$/m.exec(raw)?.[1]?.match(/[^\s<]+@[^\s>,]+/g) ?? []
  // Mailpit forgets them if there is a Bcc header.
  const isHidden = !/^Bcc:/m.test(raw) && random.chance(0.2)
  const hidden = isHidden ? [`hidden+${random.pick(['vip', 'late'])}@${random.pick(DOMAINS)}`] : []
  return { from, to: Array.from(new Set([to, ...copies, ...hidden])), raw }
}

const UNSUBSCRIBES = [
  '<mailto:out@app.example>, <https://app.example/out?x=1>',
  '<https://app.example/out> (comment)',
  'https://app.example/out',
  '<mailto:a@app.example>, <mailto:b@app.example>',
  '<ftp://app.example/out>',
]

function words(random: SeededRandom, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
}

function subject(random: SeededRandom): string {
  const text = words(random, 1 + random.below(4))
  // eslint-disable-next-line no-control-regex -- everything but ASCII
  return /^[\x00-\x7f]*$/.test(text) ? text : `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`
}

function body(random: SeededRandom): string[] {
  const kind = random.below(5)
  const text = () => ['Content-Type: text/plain; charset=utf-8', '', `Hello,`, words(random, random.below(60)), '']
  const html = (extra = '') => [
    'Content-Type: text/html; charset=utf-8',
    '',
    `<html><head><title>Hidden title</title><style>p { color: red }</style></head><body><p>Hello &amp; welcome</p><div>${words(random, random.below(50))}</div><br><a href="https://app.example/${random.pick(WORDS.slice(0, 4))}">click</a>${extra}</body></html>`,
    '',
  ]
  const parts = (type: string, boundary: string, all: string[][]) => [
    `Content-Type: ${type}; boundary="${boundary}"`,
    '',
    ...all.flatMap((part) => [`--${boundary}`, ...part]),
    `--${boundary}--`,
    '',
  ]
  const file = (name: string) => [
    `Content-Type: application/pdf; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(words(random, random.pick([3, 40, 2_000]))).toString('base64'),
    '',
  ]
  const image = [
    'Content-Type: image/png; name="logo.png"',
    'Content-Disposition: inline; filename="logo.png"',
    'Content-ID: <logo@app.example>',
    'Content-Transfer-Encoding: base64',
    '',
    PIXEL,
    '',
  ]
  if (kind === 0) return text()
  if (kind === 1) return html()
  const alternative = parts('multipart/alternative', 'alt', [text(), html()])
  if (kind === 2) return alternative
  if (kind === 3) return parts('multipart/related', 'rel', [html('<img src="cid:logo@app.example">'), image])
  return parts('multipart/mixed', 'mix', [
    alternative,
    file(`${random.pick(['invoice', 'Report'])}.pdf`),
    file('data.pdf'),
  ])
}
