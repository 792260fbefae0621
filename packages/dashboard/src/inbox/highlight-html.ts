export type SourcePiece = { kind: 'text' | 'tag' | 'attribute' | 'value' | 'comment'; text: string }

/** Each piece is an element in the page. More of them slow the browser down; what follows is plain text. */
const PIECES_MAX = 20_000

const NAME_START = /[a-z/!?]/i
/** Elements whose content is not HTML. */
const RAW_ELEMENT = /^<(style|script)[\s/>]/i
const TAG_PART = /(\s+)|("[^"]*"?|'[^']*'?)|(=)|([^\s"'=]+)/g

/** Splits HTML source for display; together the pieces are the whole source. Takes time in proportion to its length. */
export function highlightHtml(html: string): SourcePiece[] {
  const pieces: SourcePiece[] = []
  let place = 0
  while (place < html.length && pieces.length < PIECES_MAX) {
    const start = html.indexOf('<', place)
    if (start === -1) break
    if (start > place) add(pieces, 'text', html.slice(place, start))
    if (html.startsWith('<!--', start)) {
      place = endOf(html, '-->', start + 4)
      add(pieces, 'comment', html.slice(start, place))
    } else if (NAME_START.test(html[start + 1] ?? '')) {
      place = endOfTag(html, start)
      const tag = html.slice(start, place)
      addTag(pieces, tag)
      place = addRawContent(pieces, html, { tag, place })
    } else {
      place = start + 1
      add(pieces, 'text', '<')
    }
  }
  if (place < html.length) add(pieces, 'text', html.slice(place))
  return pieces
}

/** Puts the text into the last piece if that has the same kind. */
function add(pieces: SourcePiece[], kind: SourcePiece['kind'], text: string): void {
  const last = pieces.at(-1)
  if (last?.kind === kind) last.text += text
  else pieces.push({ kind, text })
}

function endOf(html: string, end: string, from: number): number {
  const found = html.indexOf(end, from)
  return found === -1 ? html.length : found + end.length
}

/** A `>` within quotes does not end a tag. */
function endOfTag(html: string, start: number): number {
  let quote: string | null = null
  for (let index = start + 1; index < html.length; index++) {
    const character = html[index]!
    if (quote !== null) {
      if (character === quote) quote = null
    } else if (character === '"' || character === "'") quote = character
    else if (character === '>') return index + 1
  }
  return html.length
}

function addTag(pieces: SourcePiece[], tag: string): void {
  const name = /^<[!/?]?[^\s"'=>/]*/.exec(tag)![0]
  add(pieces, 'tag', name)
  const rest = tag.slice(name.length)
  const end = rest.endsWith('/>') ? '/>' : rest.endsWith('>') ? '>' : ''
  const inner = rest.slice(0, rest.length - end.length)
  let isValue = false
  for (const { index, 0: part, 1: space, 2: quoted, 3: equals } of inner.matchAll(TAG_PART)) {
    if (pieces.length >= PIECES_MAX) {
      add(pieces, 'text', inner.slice(index))
      break
    }
    if (space !== undefined || equals !== undefined) add(pieces, 'text', part)
    else add(pieces, quoted !== undefined || isValue ? 'value' : 'attribute', part)
    if (space === undefined) isValue = equals !== undefined
  }
  if (end !== '') add(pieces, 'tag', end)
}

/** The content of a style sheet, up to its closing tag. Returns the place after it. */
function addRawContent(pieces: SourcePiece[], html: string, { tag, place }: { tag: string; place: number }): number {
  const name = RAW_ELEMENT.exec(tag)?.[1]
  if (name === undefined) return place
  const closing = new RegExp(`</${name}`, 'gi')
  closing.lastIndex = place
  const end = closing.exec(html)?.index ?? html.length
  if (end > place) add(pieces, 'text', html.slice(place, end))
  return end
}
