import { cutText } from '../cut-text.ts'
import { decodeEntities } from './html-entities.ts'

// A message stores no more HTML than this.
export const HTML_LENGTH_MAX = 1024 * 1024

export type Attributes = {
  href?: string
  alt?: string
  hidden?: boolean
  style?: string
  bgcolor?: string
  color?: string
  /** Every attribute with its entities not decoded, for sinks that set `wantsAllAttributes`. */
  all?: Map<string, string>
}

export type HtmlSink = {
  text(run: string): void
  open(name: string, attributes: Attributes): void
  close(name: string): void
  /** The content of a `style` element. The content of scripts and similar elements is dropped. */
  style?(css: string): void
  wantsAllAttributes?: true
}

/**
 * Passes text and tags to the sink and reads every character once. As in a browser, a tag, comment, script or style
 * that never ends extends to the end of the document. Such a tag is dropped, because half a URL would lead elsewhere.
 * This also keeps hostile input linear.
 */
export function tokenizeHtml(source: string, sink: HtmlSink): void {
  const html = cutText(source, HTML_LENGTH_MAX)
  let textStart = 0
  let bracket = html.indexOf('<')
  while (bracket !== -1) {
    if (!startsMarkup(html.charCodeAt(bracket + 1))) {
      bracket = nextBracket(html, bracket + 1)
      continue
    }
    if (bracket > textStart) sink.text(html.slice(textStart, bracket))
    textStart = readMarkup(html, bracket, sink)
    bracket = nextBracket(html, textStart)
  }
  if (textStart < html.length) sink.text(html.slice(textStart))
}

// Tags often follow each other directly, and then checking one character is faster than a search.
function nextBracket(html: string, from: number): number {
  return html.charCodeAt(from) === LESS ? from : html.indexOf('<', from)
}

function readMarkup(html: string, bracket: number, sink: HtmlSink): number {
  const next = html.charCodeAt(bracket + 1)
  if (isLetter(next)) return readOpening(html, bracket + 1, sink)
  if (next === SLASH && isLetter(html.charCodeAt(bracket + 2))) return readClosing(html, bracket + 2, sink)
  // Starts at the second dash, because `<!-->` is a complete comment.
  if (html.startsWith('<!--', bracket)) return after(html, '-->', bracket + 2)
  return after(html, '>', bracket + 1)
}

function readOpening(html: string, nameStart: number, sink: HtmlSink): number {
  const nameEnd = endOfName(html, nameStart)
  const name = html.slice(nameStart, nameEnd).toLowerCase()
  const isBare = html.charCodeAt(nameEnd) === GREATER
  const attributes: Attributes = isBare ? NO_ATTRIBUTES : {}
  if (sink.wantsAllAttributes && !isBare) attributes.all = new Map()
  const end = isBare ? nameEnd + 1 : readAttributes(html, nameEnd, attributes)
  if (end === NEVER) return NEVER
  if (RAW_TEXT.has(name)) {
    const contentEnd = endOfRawText(html, name, end)
    if (name === 'style') sink.style?.(html.slice(end, contentEnd))
    return after(html, '>', contentEnd)
  }
  sink.open(name, attributes)
  return end
}

function readClosing(html: string, nameStart: number, sink: HtmlSink): number {
  const nameEnd = endOfName(html, nameStart)
  const end = html.charCodeAt(nameEnd) === GREATER ? nameEnd + 1 : readAttributes(html, nameEnd, {})
  if (end !== NEVER) sink.close(html.slice(nameStart, nameEnd).toLowerCase())
  return end
}

/** The position after a tag that never ends. */
const NEVER = Infinity

/** Fills in the attributes of interest and returns the position after the tag. */
function readAttributes(html: string, from: number, attributes: Attributes): number {
  let position = from
  while (position < html.length) {
    const unit = html.charCodeAt(position)
    if (unit === GREATER) return position + 1
    if (unit === SLASH || isSpace(unit)) {
      position++
      continue
    }
    const nameStart = position++
    while (position < html.length && !endsAttributeName(html.charCodeAt(position))) position++
    const nameEnd = position
    const { all } = attributes
    const isWanted = all !== undefined || isWantedName(html.charCodeAt(nameStart) | 32, nameEnd - nameStart)
    position = skipSpaces(html, position)
    let value = ''
    if (html.charCodeAt(position) === EQUALS) {
      const valueStart = skipSpaces(html, position + 1)
      const quote = html[valueStart]
      const isQuoted = quote === '"' || quote === "'"
      const valueEnd = isQuoted ? indexOrEnd(html, quote, valueStart + 1) : endOfUnquoted(html, valueStart)
      if (isWanted) value = html.slice(isQuoted ? valueStart + 1 : valueStart, valueEnd)
      position = isQuoted ? valueEnd + 1 : valueEnd
    }
    if (all) keepFirst(all, html.slice(nameStart, nameEnd).toLowerCase(), value)
    else if (isWanted) keepAttribute(attributes, html.slice(nameStart, nameEnd), value)
  }
  return NEVER
}

// Most attributes are not used. The first letter and the length rule them out without a copy.
function isWantedName(firstLetter: number, length: number): boolean {
  if (length === 4 || length === 6) return firstLetter === 104 /* h */
  if (length === 5) return firstLetter === 115 /* s */ || firstLetter === 99 /* c */
  return length === 3 ? firstLetter === 97 /* a */ : length === 7 && firstLetter === 98 /* b */
}

function keepAttribute(attributes: Attributes, name: string, value: string): void {
  switch (name.toLowerCase()) {
    case 'href':
      attributes.href ??= decodeEntities(value)
      break
    case 'alt':
      attributes.alt ??= decodeEntities(value)
      break
    case 'hidden':
      attributes.hidden = true
      break
    case 'bgcolor':
      attributes.bgcolor ??= value
      break
    case 'color':
      attributes.color ??= value
      break
    case 'style':
      attributes.style ??= decodeEntities(value)
      if (DISPLAY_NONE.test(value)) attributes.hidden = true
  }
}

// As in a browser, the first attribute of a name counts.
function keepFirst(all: Map<string, string>, name: string, value: string): void {
  if (!all.has(name)) all.set(name, value)
}

const DISPLAY_NONE = /display\s*:\s*none/i

// The content of these elements is not markup and ends only at their end tag.
const RAW_TEXT = new Set(['script', 'style', 'title', 'xmp', 'iframe', 'noembed', 'noframes'])

function endOfRawText(html: string, name: string, from: number): number {
  let end = html.indexOf('</', from)
  while (end !== -1 && html.slice(end + 2, end + 2 + name.length).toLowerCase() !== name)
    end = html.indexOf('</', end + 2)
  return end === -1 ? html.length : end
}

const NO_ATTRIBUTES: Attributes = Object.freeze({})
const SLASH = 47
const LESS = 60
const EQUALS = 61
const GREATER = 62

function startsMarkup(unit: number): boolean {
  return isLetter(unit) || unit === SLASH || unit === 33 /* ! */ || unit === 63 /* ? */
}

function isLetter(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90)
}

function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13)
}

function endsAttributeName(unit: number): boolean {
  return unit === EQUALS || unit === GREATER || unit === SLASH || isSpace(unit)
}

function endOfName(html: string, from: number): number {
  let position = from
  while (position < html.length) {
    const unit = html.charCodeAt(position)
    if (unit === GREATER || unit === SLASH || isSpace(unit)) break
    position++
  }
  return position
}

function endOfUnquoted(html: string, from: number): number {
  let position = from
  while (position < html.length && html.charCodeAt(position) !== GREATER && !isSpace(html.charCodeAt(position)))
    position++
  return position
}

function skipSpaces(html: string, from: number): number {
  let position = from
  while (isSpace(html.charCodeAt(position))) position++
  return position
}

function indexOrEnd(html: string, wanted: string, from: number): number {
  const index = html.indexOf(wanted, from)
  return index === -1 ? html.length : index
}

function after(html: string, wanted: string, from: number): number {
  const index = html.indexOf(wanted, from)
  return index === -1 ? html.length : index + wanted.length
}
