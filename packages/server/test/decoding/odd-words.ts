import type { SeededRandom } from '../support/seeded-random.ts'
import { base64, bytesOf, isUtf8 } from './byte-text.ts'
import { encodeIn } from './charset-bytes.ts'
import { pieces, type Variant, withSubject } from './generated-mail.ts'
import { anyText, japanese, sample } from './sample-texts.ts'
import { utf7 } from './transfer.ts'

/** Raw bytes in Q words, in the charset of the word. */
export const rawBytesInWords: Variant = (random) => {
  for (;;) {
    const { text, charset, label } = sample(random, ({ name }) => name !== 'iso-2022-jp')
    const bytes = encodeIn(charset.name, text)
    // Text that happens to be valid UTF-8 is read as UTF-8.
    if (charset.name !== 'utf-8' && isUtf8(bytes)) continue
    return withSubject(random, qWord(random, label, bytes, { isRaw: true }), text)
  }
}

/** Characters split between words whose labels differ in spelling. */
export const splitCharacters: Variant = (random) => {
  const { text, charset } = sample(random, ({ name }) => name !== 'iso-2022-jp')
  const words = pieces(random, encodeIn(charset.name, text), 12).map((bytes) =>
    word(random, random.pick(charset.labels), bytes),
  )
  return withSubject(random, words.join(gap(random)), text)
}

/** ISO-2022-JP whose words start in the state in which the previous word ended. */
export const stateAcrossWords: Variant = (random) => {
  const text = japanese(random)
  const bytes = encodeIn('iso-2022-jp', text)
  const labels = ['iso-2022-jp', 'ISO-2022-JP', 'Iso-2022-jp', 'csISO2022JP']
  const words = pieces(random, bytes, 20).map((piece) => `=?${random.pick(labels)}?B?${base64(piece)}?=`)
  return withSubject(random, words.join(gap(random)), text)
}

/** A raw header that switches to Japanese with undeclared escapes. */
export const rawIso2022Subject: Variant = (random) => {
  const text = japanese(random)
  return withSubject(random, encodeIn('iso-2022-jp', text), text)
}

export const utf7Words: Variant = (random) => {
  const text = anyText(random)
  const label = random.pick(['utf-7', 'UTF-7', 'unicode-1-1-utf-7'])
  return withSubject(random, word(random, label, utf7(random, text)), text)
}

/** Words beside text, where spaces count, and beside words, where they do not. */
export const wordsAmongText: Variant = (random) => {
  const parts = Array.from({ length: 1 + random.below(4) }, () => {
    const { text, charset, label } = sample(random)
    const isWord = random.chance(0.6)
    return {
      text: isWord ? text : 'plain text',
      raw: isWord ? word(random, label, encodeIn(charset.name, text)) : 'plain text',
      isWord,
    }
  })
  let subject = ''
  parts.forEach(({ text, isWord }, index) => {
    const before = parts[index - 1]
    subject += (before && !(before.isWord && isWord) ? ' ' : '') + text
  })
  return withSubject(random, parts.map(({ raw }) => raw).join(' '), subject)
}

function word(random: SeededRandom, label: string, bytes: string): string {
  if (random.chance(0.5)) return qWord(random, label, bytes)
  const encoded = random.chance(0.1) ? base64(bytes).replaceAll('=', '') : base64(bytes)
  return `=?${label}${language(random)}?${random.pick(['B', 'b'])}?${encoded}?=`
}

function qWord(random: SeededRandom, label: string, bytes: string, { isRaw = false } = {}): string {
  const signs = Array.from(bytesOf(bytes), (byte) => {
    const sign = String.fromCharCode(byte)
    if (sign === ' ') return random.pick(['_', '=20'])
    if (/[A-Za-z0-9]/.test(sign) || (isRaw && byte >= 0x80 && random.chance(0.8))) return sign
    const hex = byte.toString(16).padStart(2, '0')
    return `=${random.chance(0.9) ? hex.toUpperCase() : hex}`
  })
  return `=?${label}${language(random)}?${random.pick(['Q', 'q'])}?${signs.join('')}?=`
}

/** RFC 2231, 5: a language after the charset. */
const language = (random: SeededRandom): string => (random.chance(0.1) ? '*en' : '')
const gap = (random: SeededRandom): string => random.pick([' ', '\r\n ', '\r\n\t', '  '])
