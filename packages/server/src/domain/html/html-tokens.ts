import { cutText } from '../cut-text.ts'
import { type Attributes, NEVER, readAttributes } from './html-attributes.ts'
import { GREATER, endOfName, isLetter, lowerCase, SLASH } from './html-characters.ts'
import { contentEnd } from './raw-content.ts'

// A message stores no more HTML than this.
export const HTML_LENGTH_MAX = 1024 * 1024

export type HtmlSink = {
  /** Entities are not decoded, because not every sink reads every text. */
  text(run: string): void
  open(name: string, attributes: Attributes): void
  close(name: string): void
  /** The content of a `style` element. The content of scripts and similar elements is dropped. */
  style?(css: string): void
  wantsAllAttributes?: true
}

/**
 * Passes text and tags to the sink, divided as the HTML standard says, and reads every character once, so that hostile
 * input is linear. As in a browser, a tag that never ends is dropped, and a comment, script or style that never ends
 * extends to the end of the document. `html-tokens.test.ts` compares the tokens with those of parse5.
 *
 * Three differences are deliberate:
 * - The content of scripts, styles and similar elements is never markup. Browsers read it as markup inside of SVG and
 *   MathML. The cleaner writes neither of them, so a browser never sees such an element there.
 * - Zero bytes and carriage returns are passed as they are. Browsers drop or replace them; the readers of text treat
 *   them as invisible and as white space, and what the cleaner writes is read by a browser again.
 * - Of one element, the cleaner gets only the first 500 attributes. It writes no others, so nothing gets past it.
 */
export function tokenizeHtml(source: string, sink: HtmlSink): void {
  const html = cutText(source, HTML_LENGTH_MAX)
  let textStart = 0
  let bracket = html.indexOf('<')
  while (bracket !== -1) {
    if (!startsMarkup(html, bracket)) {
      bracket = nextBracket(html, bracket + 1)
      continue
    }
    if (bracket > textStart) sink.text(html.slice(textStart, bracket))
    textStart = readMarkup(html, bracket, sink)
    bracket = nextBracket(html, textStart)
  }
  if (textStart < html.length) sink.text(html.slice(textStart))
}

function startsMarkup(html: string, bracket: number): boolean {
  const next = html.charCodeAt(bracket + 1)
  return isLetter(next) || next === MARK || next === QUESTION || (next === SLASH && bracket + 2 < html.length)
}
const MARK = 33
const QUESTION = 63

// Tags often follow each other directly, and then checking one character is faster than a search.
function nextBracket(html: string, from: number): number {
  return html.charCodeAt(from) === LESS ? from : html.indexOf('<', from)
}
const LESS = 60

function readMarkup(html: string, bracket: number, sink: HtmlSink): number {
  const next = html.charCodeAt(bracket + 1)
  if (isLetter(next)) return readOpening(html, bracket + 1, sink)
  if (next === SLASH && isLetter(html.charCodeAt(bracket + 2))) return readClosing(html, bracket + 2, sink)
  if (html.startsWith('<!--', bracket)) return commentEnd(html, bracket + 4)
  const end = html.indexOf('>', bracket + 2)
  return end === -1 ? NEVER : end + 1
}

function readOpening(html: string, nameStart: number, sink: HtmlSink): number {
  const nameEnd = endOfName(html, nameStart)
  const name = lowerCase(html.slice(nameStart, nameEnd))
  const isBare = html.charCodeAt(nameEnd) === GREATER
  const attributes: Attributes = isBare ? NO_ATTRIBUTES : {}
  if (sink.wantsAllAttributes && !isBare) attributes.all = new Map()
  const end = isBare ? nameEnd + 1 : readAttributes(html, nameEnd, attributes)
  if (end === NEVER) return NEVER
  sink.open(name, attributes)
  const content = CONTENT.get(name)
  return content === undefined ? end : readContent(html, { name, content, start: end }, sink)
}
const NO_ATTRIBUTES: Attributes = Object.freeze({})

function readClosing(html: string, nameStart: number, sink: HtmlSink): number {
  const nameEnd = endOfName(html, nameStart)
  const end = html.charCodeAt(nameEnd) === GREATER ? nameEnd + 1 : readAttributes(html, nameEnd, {})
  if (end !== NEVER) sink.close(lowerCase(html.slice(nameStart, nameEnd)))
  return end
}

/**
 * The elements whose content contains no tags, and what it is: text with entities, text without them, styles, or
 * something that browsers do not show.
 */
const CONTENT = new Map<string, Content>([
  ['textarea', 'encoded'],
  ['xmp', 'literal'],
  ['plaintext', 'literal'],
  ['style', 'style'],
  ['script', 'unshown'],
  ['title', 'unshown'],
  ['iframe', 'unshown'],
  ['noembed', 'unshown'],
  ['noframes', 'unshown'],
])
type Content = 'encoded' | 'literal' | 'style' | 'unshown'

/** Passes the content on. The end tag after it is read like any other. */
function readContent(
  html: string,
  { name, content, start }: { name: string; content: Content; start: number },
  sink: HtmlSink,
): number {
  const end = contentEnd(html, name, start)
  if (content === 'style') sink.style?.(html.slice(start, end))
  else if (content === 'literal' && end > start) sink.text(html.slice(start, end).replaceAll('&', '&amp;'))
  else if (content === 'encoded' && end > start) sink.text(html.slice(start, end))
  return end
}

/** The position after the comment whose content starts at `start`. */
function commentEnd(html: string, start: number): number {
  // The dashes of the start can be those of the end: `<!-->` is a complete comment, but `<!--!>` is not.
  let dashes = start - 2
  while (dashes !== -1) {
    const next = html.charCodeAt(dashes + 2)
    if (next === GREATER) return dashes + 3
    if (next === MARK && dashes >= start && html.charCodeAt(dashes + 3) === GREATER) return dashes + 4
    dashes = html.indexOf('--', dashes + 1)
  }
  return NEVER
}
