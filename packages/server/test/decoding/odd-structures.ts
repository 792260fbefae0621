import { utf8 } from './byte-text.ts'
import { anyCase, SENDER, type Variant, write } from './generated-mail.ts'
import { anyText } from './sample-texts.ts'

/** How a multipart names its boundary, correctly and incorrectly. */
export const oddBoundaries: Variant = (random) => {
  const text = anyText(random)
  const boundary = random.pick(['edge', '----=_Part_1.2', "a'b(c)d+e_f,g-h./i:j=k?l", 'x'.repeat(70), 'y'.repeat(400)])
  const name = anyCase(random, 'boundary')
  const isPlain = /^[\w.=-]+$/.test(boundary)
  const value = isPlain && random.chance(0.5) ? boundary : `"${boundary}"`
  const kind = random.pick([
    'multipart/mixed',
    'multipart/*',
    'multipart',
    'Multipart/Mixed',
    'multipart/odd-one',
    'multipart/related',
  ])
  const separator = random.pick(['; ', ';', ' ', ';\r\n\t', '; charset=utf-8; ', ', ', '\r\n '])
  const parameter = random.pick([`${name}=${value}`, `${name} = ${value}`, `${name}=${value};`])
  const part = [...random.pick([[], ['Content-Type: text/plain; charset=utf-8']]), '', utf8(text)]
  const body = [
    ...random.pick([[], ['This is a multi-part message in MIME format.', '']]),
    `--${boundary}${random.pick(['', ' ', '\t'])}`,
    ...part,
    // The end may be missing.
    ...random.pick([[`--${boundary}--`], [`--${boundary}--`, '', 'epilogue'], []]),
  ]
  return {
    mail: write(random, [SENDER, 'Subject: s', `Content-Type: ${kind}${separator}${parameter}`], body.join('\r\n')),
    expected: { text },
  }
}

/** A text with others beside it that are not the text of the mail. */
export const namedTexts: Variant = (random) => {
  const text = anyText(random)
  const type = 'Content-Type: text/plain; charset=utf-8'
  const own = [type, '', utf8(text)]
  const name = random.pick(['terms.txt', 'signature.txt', 'AGB.txt'])
  const named = random.pick([
    [`${type}; name="${name}"`, 'Content-Disposition: inline', '', 'Terms: 999999'],
    [type, `Content-Disposition: inline; filename="${name}"`, '', 'Disclaimer'],
    [`${type}; name=${name}`, `Content-Disposition: attachment; filename=${name}`, '', 'Disclaimer'],
    [type, `Content-Disposition: INLINE;\r\n\tfilename*=utf-8''${name}`, '', 'Disclaimer'],
  ])
  const page = ['Content-Type: text/html; charset=utf-8', '', `<p>${utf8(text)}</p>`]
  const body = random.pick([
    own,
    multipart('alternative', [own, page], 'inner'),
    multipart('alternative', [own], 'inner'),
  ])
  // Before the body and after it.
  const parts = random.chance(0.7) ? [body, named] : [named, body]
  const mail = write(random, [SENDER, 'Subject: s'], '').trimEnd()
  return { mail: [mail, ...multipart('mixed', parts, 'outer')].join('\r\n'), expected: { text, attachments: [name] } }
}

const KNOWN_HEADS = [
  ['From: Ann <ann@shop.example>', 'Subject: Your code'],
  [
    'Received: from a by b; Mon, 16 Nov 2026',
    'From: Ann <ann@shop.example>',
    'To: qa@in.example',
    'Subject: Your code',
  ],
]

/** Lines before the headers by mistake. */
export const strayFirstLines: Variant = (random) => {
  // An empty line after others would end a text.
  const empty = Array.from({ length: random.below(3) }, () => '')
  const stray = [...empty, ...Array.from({ length: 1 + random.below(4) }, () => random.pick(STRAY_LINES))]
  const mail = [...stray, ...random.pick(KNOWN_HEADS), '', 'It is 482913.', ''].join(random.pick(['\r\n', '\n']))
  return { mail, expected: { subject: 'Your code', from: 'ann@shop.example', fromName: 'Ann', text: 'It is 482913.' } }
}

const STRAY_LINES = [
  '   ',
  '\t',
  'From ann@shop.example',
  'From ann@shop.example Mon Nov 16 00:00:00 2026',
  '>From ann@shop.example',
  ' by mail.shop.example with SMTP',
  '\tfor <qa@in.example>; Mon, 16 Nov 2026 00:00:00 +0000',
  'garbage',
  'POST /inbox HTTP/1.1',
  '220 mail.shop.example ready',
  '-----Original Message-----',
  ': nothing',
]

function multipart(kind: string, parts: string[][], boundary: string): string[] {
  const bodies = parts.flatMap((part) => [`--${boundary}`, ...part])
  return [`Content-Type: multipart/${kind}; boundary="${boundary}"`, '', ...bodies, `--${boundary}--`, '']
}
