import { decodeHTMLAttribute } from 'entities/decode'
import { endsName, EQUALS, GREATER, isSpace, lowerCase, SLASH } from './html-characters.ts'

/** Decoded. As in a browser, the first attribute of a name counts. */
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

/** The position after markup that never ends. */
export const NEVER = Infinity

/** Fills in the attributes of interest and returns the position after the tag. */
export function readAttributes(html: string, from: number, attributes: Attributes): number {
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
    if (all) keepFirst(all, lowerCase(html.slice(nameStart, nameEnd)), value)
    else if (isWanted) keepAttribute(attributes, lowerCase(html.slice(nameStart, nameEnd)), value)
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
  switch (name) {
    case 'href':
      attributes.href ??= decodeHTMLAttribute(value)
      break
    case 'alt':
      attributes.alt ??= decodeHTMLAttribute(value)
      break
    case 'hidden':
      attributes.hidden = true
      break
    case 'bgcolor':
      attributes.bgcolor ??= decodeHTMLAttribute(value)
      break
    case 'color':
      attributes.color ??= decodeHTMLAttribute(value)
      break
    case 'style':
      if (attributes.style !== undefined) break
      attributes.style = decodeHTMLAttribute(value)
      if (DISPLAY_NONE.test(attributes.style)) attributes.hidden = true
  }
}

const DISPLAY_NONE = /display\s*:\s*none/i

function keepFirst(all: Map<string, string>, name: string, value: string): void {
  if (all.size < ATTRIBUTES_MAX && !all.has(name)) all.set(name, value)
}

/** No real element has as many. A map of 100,000 takes more than its share of time, and the rest is not needed. */
const ATTRIBUTES_MAX = 500

function endsAttributeName(unit: number): boolean {
  return unit === EQUALS || endsName(unit)
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
