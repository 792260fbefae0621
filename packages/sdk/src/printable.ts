/** Bounds the length in a test report: a mail may contain kilobytes. */
const CHARACTERS_MAX = 200

/** Makes untrusted text safe for a terminal: one line, no control or formatting characters, bounded length. */
export function printable(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.length > CHARACTERS_MAX ? `${line.slice(0, CHARACTERS_MAX)}…` : line
}
