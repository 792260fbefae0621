import type { SeededRandom } from '../support/seeded-random.ts'

/** A mail, one character per byte, and how it must be read. Missing fields are not checked. */
export type GeneratedMail = { mail: string; expected: Expected }

export type Expected = {
  subject?: string
  text?: string
  from?: string
  fromName?: string | null
  attachments?: (string | null)[]
  /** The contents of the attachments, in the same order, one character per byte. */
  contents?: string[]
}

/** One kind of odd mail. Every call writes another text in another variant. */
export type Variant = (random: SeededRandom) => GeneratedMail

/** A mail with these headers and this body, with one of the two line ends. */
export function write(random: SeededRandom, headers: string[], body: string): string {
  const mail = [...shuffled(random, [...headers, ...random.pick(OTHER_HEADERS)]), '', body].join('\r\n')
  return random.chance(0.3) ? mail.replaceAll('\r\n', '\n') : mail
}

const OTHER_HEADERS = [
  [],
  ['Date: Mon, 16 Nov 2026 04:00:00 +0000', 'Message-ID: <1@shop.example>'],
  ['X-Mailer: Post 1.0 (+http://post.example/)', 'To: qa+login@in.example'],
]

export const SENDER = 'From: Shop <a@shop.example>'

/** A mail with only this raw subject. */
export function withSubject(random: SeededRandom, raw: string, subject: string): GeneratedMail {
  return { mail: write(random, [SENDER, `Subject: ${raw}`], 'text'), expected: { subject, from: 'a@shop.example' } }
}

/** A mail of one part with this content in place of `text`. */
export function withBody(random: SeededRandom, headers: string[], content: string, text: string): GeneratedMail {
  return { mail: write(random, [SENDER, 'Subject: s', 'MIME-Version: 1.0', ...headers], content), expected: { text } }
}

/** The name of a header or parameter in any case. */
export function anyCase(random: SeededRandom, name: string): string {
  return random.pick([name, name.toLowerCase(), name.toUpperCase()])
}

export function shuffled<Item>(random: SeededRandom, items: Item[]): Item[] {
  const rest = [...items]
  return items.map(() => rest.splice(random.below(rest.length), 1)[0]!)
}

/** Pieces of random length, which may split anything. */
export function pieces(random: SeededRandom, text: string, lengthMax: number): string[] {
  const found: string[] = []
  for (let at = 0; at < text.length;) {
    const end = at + 1 + random.below(lengthMax)
    found.push(text.slice(at, end))
    at = end
  }
  return found
}
