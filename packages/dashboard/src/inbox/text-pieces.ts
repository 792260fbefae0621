export type TextPiece = { kind: 'text' | 'link' | 'code'; text: string }

/** More would only slow the page down. */
const LINKS_MAX = 500
const URL_IN_TEXT = /https?:\/\/[^\s<>"'`\p{Cc}]+/giu
/** What ends a sentence does not belong to the link in it. */
const TRAILING = '.,;:!?)]}'

/** A body as it is shown: its web addresses can be followed, and the code that was found stands out. */
export function textPieces(text: string, code: string | null): TextPiece[] {
  const pieces: TextPiece[] = []
  let place = 0
  for (const match of text.matchAll(URL_IN_TEXT)) {
    if (pieces.length >= 2 * LINKS_MAX) break
    const url = withoutTrailing(match[0])
    pieces.push(...withCode(text.slice(place, match.index), code), { kind: 'link', text: url })
    place = match.index + url.length
  }
  pieces.push(...withCode(text.slice(place), code))
  return pieces
}

/** From the end, because a pattern would look at a row of dots anew from each of them. */
function withoutTrailing(url: string): string {
  let end = url.length
  while (end > 0 && TRAILING.includes(url[end - 1]!)) end--
  return url.slice(0, end)
}

/** The first place is enough; codes are written with spaces or dashes at times. */
function withCode(text: string, code: string | null): TextPiece[] {
  const found =
    code === null || code === '' ? null : new RegExp(Array.from(code, escapePattern).join('[ -]?')).exec(text)
  if (!found) return text === '' ? [] : [{ kind: 'text', text }]
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + found[0].length)
  return [...withCode(before, null), { kind: 'code', text: found[0] }, ...withCode(after, null)]
}

function escapePattern(character: string): string {
  return character.replace(/[^\w]/, String.raw`\$&`)
}
