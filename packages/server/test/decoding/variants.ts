import { parseMail, plainTextOf, readAttachment } from '../../src/mime/parse-mail.ts'
import { numberedRandom } from '../support/seeded-random.ts'
import { bytesOf, latin1 } from './byte-text.ts'
import type { Expected, Variant } from './generated-mail.ts'
import * as bodies from './odd-bodies.ts'
import { oddSenders } from './odd-senders.ts'
import * as structures from './odd-structures.ts'
import * as words from './odd-words.ts'

export const VARIANTS: [name: string, variant: Variant][] = Object.entries({
  ...words,
  ...bodies,
  ...structures,
  oddSenders,
})

/** The first generated mails that are read incorrectly, with the values to reproduce them. */
export function misread(variant: Variant, { seed, count }: { seed: number; count: number }) {
  const found = []
  for (let number = 0; number < count && found.length < 5; number++) {
    const { mail, expected } = variant(numberedRandom(seed, number))
    const seen = read(mail, expected)
    if (JSON.stringify(seen) !== JSON.stringify(expected)) found.push({ seed, number, mail, expected, seen })
  }
  return found
}

/** The parsed mail in the form of the expectation, with only its fields. */
function read(mail: string, expected: Expected): Expected {
  const bytes = bytesOf(mail)
  const parsed = parseMail(bytes)
  const all: Required<Expected> = {
    subject: parsed.subject,
    text: plainTextOf(parsed).replaceAll('\r\n', '\n').trim(),
    from: parsed.from,
    fromName: parsed.fromName,
    attachments: parsed.attachments.map(({ filename }) => filename),
    contents: parsed.attachments.map(({ index }) => latin1(readAttachment(bytes, { index })?.bytes ?? [])),
  }
  return Object.fromEntries(Object.keys(expected).map((key) => [key, all[key as keyof Expected]]))
}
