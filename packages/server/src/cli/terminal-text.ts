import { stripVTControlCharacters } from 'node:util'
import { cutText } from '../domain/cut-text.ts'

/** More of a subject is not read in a line, and a stranger may have written a megabyte. */
const LENGTH_MAX = 200

/** What a stranger wrote, as part of a line: nothing of it may move the cursor, end the line or turn the text around. */
export function safeText(text: string): string {
  const plain = plainLine(text)
  return plain.length <= LENGTH_MAX ? plain : `${cutText(plain, LENGTH_MAX - 1)}…`
}

/** The same for a text that is shown whole, in the lines that it has. */
export function safeLines(text: string): string {
  return text.split(/\r?\n/).map(plainLine).join('\n')
}

function plainLine(text: string): string {
  return (
    stripVTControlCharacters(text)
      // Words that a line end or tab kept apart stay apart.
      .replace(/[\t\n\v\f\r\u0085\p{Zl}\p{Zp}]+/gu, ' ')
      .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
  )
}
