/**
 * Whether a sticky pattern matches at a position. A pattern with only a lookbehind, `/(?<=…)/y`, checks the text before
 * the position. It reads backwards from there, while a search for `…$` would try every start.
 */
export function matchesAt(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position
  return pattern.test(text)
}
