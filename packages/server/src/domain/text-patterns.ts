/**
 * Parts of regular expressions for the OpenAPI document. They mean the same in every engine: `\s` and `\d` differ
 * between languages, and not all engines match surrogates.
 */

/** The characters that `trim` removes, for a character class. */
export const BLANKS = String.raw`\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`

/** A pattern for a text that is trimmed before it is checked. */
export function trimmedPattern(pattern: string): string {
  return `^[${BLANKS}]*(?:${pattern})[${BLANKS}]*$`
}

/** Counts characters as JSON Schema does, which are code points and not code units. */
export function isAtMost(text: string, charactersMax: number): boolean {
  return text.length <= charactersMax || (text.length <= 2 * charactersMax && Array.from(text).length <= charactersMax)
}
