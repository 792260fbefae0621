export type TextPiece = { kind: 'text' | 'link' | 'code'; text: string }

/** More links slow the page down. */
const LINKS_MAX = 500
const URL_IN_TEXT = /https?:\/\/[^\s<>"'`\p{Cc}]+/giu
/** Punctuation after a URL that belongs to the sentence around it. */
const TRAILING = '.,;:!?)]}'

/** Splits a text body into plain text, links and the code, for display. */
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

/** A loop from the end, because a regular expression would backtrack from each of many dots. */
function withoutTrailing(url: string): string {
  let end = url.length
  while (end > 0 && TRAILING.includes(url[end - 1]!)) end--
  return url.slice(0, end)
}

/** Marks the first occurrence only. Codes may contain spaces or dashes in the text. */
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
