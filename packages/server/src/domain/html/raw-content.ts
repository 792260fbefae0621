import { endsName } from './html-characters.ts'

/** Where the content of an element that contains no tags ends: at its end tag, or at the end of the document. */
export function contentEnd(html: string, name: string, from: number): number {
  if (name === 'plaintext') return html.length
  return name === 'script' ? scriptEnd(html, from) : endTagOf(html, name, from)
}

function endTagOf(html: string, name: string, from: number): number {
  let end = html.indexOf('</', from)
  while (end !== -1 && !isName(html, name, end + 2)) end = html.indexOf('</', end + 2)
  return end === -1 ? html.length : end
}

function isName(html: string, name: string, start: number): boolean {
  const end = start + name.length
  return endsName(html.charCodeAt(end)) && html.slice(start, end).toLowerCase() === name
}

/**
 * A script may contain another one inside of a comment, and then the first end tag is not its own. Outside of comments,
 * and in a comment without a script, it is.
 */
function scriptEnd(html: string, from: number): number {
  let isComment = false
  let isInner = false
  SCRIPT_MARK.lastIndex = from
  for (let match = SCRIPT_MARK.exec(html); match; match = SCRIPT_MARK.exec(html)) {
    const [mark] = match
    if (mark === '-->') {
      isComment = false
      isInner = false
    } else if (mark === '<!--') {
      isComment = true
      // Its dashes can be those of the end.
      SCRIPT_MARK.lastIndex = match.index + 2
    } else if (mark.startsWith('</')) {
      if (!isInner) return match.index
      isInner = false
    } else if (isComment) isInner = true
  }
  return html.length
}
const SCRIPT_MARK = /<!--|-->|<\/?script[\t\n\f\r />]/gi
