/**
 * Parts of regular expressions for documents. They mean the same to every engine: `\s` and `\d` differ between languages, and
 * halves of characters are not known to all.
 */

/** What `trim` takes away, as the inside of a character class. */
export const BLANKS = String.raw`\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`

/** The whole of a text that is trimmed before it is looked at. */
export function trimmedPattern(pattern: string): string {
  return `^[${BLANKS}]*(?:${pattern})[${BLANKS}]*$`
}

/** Characters as JSON Schema counts them, not halves of them. */
export function isAtMost(text: string, charactersMax: number): boolean {
  return text.length <= charactersMax || (text.length <= 2 * charactersMax && Array.from(text).length <= charactersMax)
}
