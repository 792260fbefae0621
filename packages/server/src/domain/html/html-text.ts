import { decodeHTML } from 'entities/decode'
import type { Attributes } from './html-attributes.ts'
import { type HtmlSink, tokenizeHtml } from './html-tokens.ts'

export type Anchor = { url: string; text: string }

/** The visible text of the HTML: blocks become lines, list items start with a dash, links are shown as their text. */
export function htmlToText(html: string): string {
  const parts: string[] = []
  tokenizeHtml(html, visibleSink(parts, '- '))
  return parts.join('')
}

/** The visible links in document order, each with its text. */
export function parseAnchors(html: string): Anchor[] {
  const end = endOfAnchors(html)
  if (end === 0) return []
  const anchors: Anchor[] = []
  const parts: string[] = []
  let url: string | null = null
  const finish = () => {
    const [first = ''] = parts
    // A single part has no line breaks, so most links need no second pass.
    if (url !== null) anchors.push({ url, text: parts.length <= 1 ? first : collapseSpace(parts.join('')) })
    url = null
  }
  const visible = visibleSink(parts, '')
  tokenizeHtml(html.slice(0, end), {
    text: (run) => {
      if (url !== null) visible.text(run)
    },
    open(name, attributes) {
      visible.open(name, attributes)
      if (name !== 'a') return
      // Links do not nest: the next one ends the current one, as in a browser.
      finish()
      parts.length = 0
      if (attributes.href !== undefined && !visible.isHidden()) url = attributes.href
    },
    close(name) {
      visible.close(name)
      if (name === 'a') finish()
    },
  })
  finish()
  return anchors
}

/** The end of the last link, or of the document if the link is not closed. 0 if there is no link. */
function endOfAnchors(html: string): number {
  if (!/<a/i.test(html)) return 0
  let last = html.lastIndexOf('<')
  // Terminates, because there is an anchor tag.
  while (!isAnchorTag(html, last)) last = html.lastIndexOf('<', last - 1)
  return html[last + 1] === '/' ? html.indexOf('>', last) + 1 || html.length : html.length
}

function isAnchorTag(html: string, bracket: number): boolean {
  const letter = html[bracket + 1] === '/' ? html[bracket + 2] : html[bracket + 1]
  return letter === 'a' || letter === 'A'
}

/** Appends visible text to `parts`, with line breaks, and `itemStart` before list items. */
export function visibleSink(parts: string[], itemStart: string): HtmlSink & { isHidden(): boolean } {
  let breaks = 0
  let hasSpace = false
  let bullet = ''
  let preformatted = 0
  // Remembers only the outermost hidden element and counts nested elements of its name, so no stack can grow.
  let hiddenName = ''
  let hiddenDepth = 0

  const write = (raw: string) => {
    const run = collapseSpace(removeInvisible(raw))
    if (run === '' || run === ' ') {
      if (run !== '') hasSpace = true
      return
    }
    const startsWithSpace = run.startsWith(' ')
    const endsWithSpace = run.endsWith(' ')
    if (parts.length > 0) {
      if (breaks > 0) parts.push(breaks === 1 ? '\n' : '\n\n')
      else if (hasSpace || startsWithSpace) parts.push(' ')
    }
    if (bullet) parts.push(bullet)
    parts.push(startsWithSpace || endsWithSpace ? run.trim() : run)
    breaks = 0
    bullet = ''
    hasSpace = endsWithSpace
  }

  const breakLine = (name: string) => {
    const wanted = BREAKS.get(name)
    if (wanted !== undefined && wanted > breaks) breaks = wanted
  }

  const hide = (name: string) => {
    hiddenName = name
    hiddenDepth = 1
  }

  const isStillHidden = (name: string) => {
    if (hiddenName === 'head') return name !== 'body' && !BREAKS.has(name)
    // Paragraphs do not nest: the next one ends a hidden one that was not closed.
    if (hiddenName === 'p') return name !== 'p'
    if (name === hiddenName) hiddenDepth++
    return true
  }

  const openVisible = (name: string, attributes: Attributes) => {
    breakLine(name)
    if (name === 'br') breaks = Math.min(breaks + 1, 2)
    else if (name === 'td' || name === 'th') hasSpace = true
    else if (name === 'li') bullet = itemStart
    else if (name === 'pre') preformatted++
    else if (name === 'img' && attributes.alt) write(attributes.alt)
  }

  return {
    isHidden: () => hiddenDepth > 0,
    text(raw) {
      if (hiddenDepth > 0) return
      const run = decodeHTML(raw)
      if (preformatted === 0 || !LINE_BREAK.test(run)) return write(run)
      for (const [index, line] of run.split(LINE_BREAK).entries()) {
        if (index > 0) breaks = Math.min(breaks + 1, 2)
        write(line)
      }
    },
    open(name, attributes) {
      if (hiddenDepth > 0) {
        if (isStillHidden(name)) return
        hiddenDepth = 0
      }
      if (!attributes.hidden && !ALWAYS_HIDDEN.has(name)) openVisible(name, attributes)
      else if (!VOID.has(name)) hide(name)
    },
    close(name) {
      if (hiddenDepth > 0) {
        if (name === hiddenName) hiddenDepth--
        return
      }
      breakLine(name)
      if (name === 'li') bullet = ''
      else if (name === 'pre' && preformatted > 0) preformatted--
    },
  }
}

/** Removes characters without width. They pad preview texts and would split words and codes. */
export function removeInvisible(text: string): string {
  return INVISIBLE_SEEN.test(text) ? text.replace(INVISIBLE, '') : text
}

/** Replaces each run of white space with one space. */
export function collapseSpace(text: string): string {
  return UNEVEN_SPACE_SEEN.test(text) ? text.replace(UNEVEN_SPACE, ' ') : text
}

// Zero-width, direction and filler characters.
const INVISIBLE = /(?:[\0\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u034f)+/g
const INVISIBLE_SEEN = new RegExp(INVISIBLE.source)
const LINE_BREAK = /\r\n?|\n/
/** Every run of white space but a single space, which would not change. */
const UNEVEN_SPACE = / \s+|[^\S ]\s*/g
const UNEVEN_SPACE_SEEN = / \s|[^\S ]/

const ALWAYS_HIDDEN = new Set(['head', 'template'])
const VOID = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr'])

const LINES = `address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure
  footer form header hr html legend li main nav section summary table tbody tfoot thead tr`
const PARAGRAPHS = 'h1 h2 h3 h4 h5 h6 ol p pre ul'

/** How many line breaks separate an element from its surroundings. */
const BREAKS = new Map([
  ...LINES.split(/\s+/).map((name) => [name, 1] as const),
  ...PARAGRAPHS.split(/\s+/).map((name) => [name, 2] as const),
])
