/**
 * The text without these signs at its start and its end. Linear for any text, unlike a pattern such as `/>+$/`, which starts again at
 * every sign in the middle.
 */
export function trimSigns(text: string, { start, end }: { start: string; end: string }): string {
  let [from, to] = [0, text.length]
  while (from < to && start.includes(text[from]!)) from++
  while (to > from && end.includes(text[to - 1]!)) to--
  return text.slice(from, to)
}
