import { stripVTControlCharacters } from 'node:util'
import { cutText } from '../domain/cut-text.ts'

/** Bounds a line: a subject may have a megabyte. */
const LENGTH_MAX = 200

/** Untrusted text as part of a line, without escape sequences, line breaks or direction changes. */
export function safeText(text: string): string {
  const plain = plainLine(text)
  return plain.length <= LENGTH_MAX ? plain : `${cutText(plain, LENGTH_MAX - 1)}…`
}

/** The same for a whole text; keeps its lines. */
export function safeLines(text: string): string {
  return text.split(/\r?\n/).map(plainLine).join('\n')
}

function plainLine(text: string): string {
  return (
    stripVTControlCharacters(text)
      // Keep words separate that a line end or tab separated.
      .replace(/[\t\n\v\f\r\u0085\p{Zl}\p{Zp}]+/gu, ' ')
      .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
  )
}
