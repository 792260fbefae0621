/** A test report has room for a line, and a stranger may have written kilobytes. */
const CHARACTERS_MAX = 200

/** What a sender wrote, fit for a terminal: without control and formatting characters, on one line, of bounded length. */
export function printable(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.length > CHARACTERS_MAX ? `${line.slice(0, CHARACTERS_MAX)}…` : line
}
