/**
 * Whether a sticky pattern matches at a position. One that only looks back, `/(?<=…)/y`, tells what stands before the
 * position: it is read from there, where a search for `…$` would try every start.
 */
export function matchesAt(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position
  return pattern.test(text)
}
