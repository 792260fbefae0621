import type { Link } from '@mailhatch/sdk'
import { cutText } from './cut-text.ts'
import { parseAnchors } from './html/html-text.ts'
import { linkKind } from './link-kind.ts'

// Ordinary mail has fewer. A test rarely needs the rest of a long digest.
export const LINKS_MAX = 100
// As long as the longest URL that our server accepts. Longer ones contain data.
export const LINK_LENGTH_MAX = 8 * 1024
export const LINK_SCAN_LENGTH_MAX = 64 * 1024
// Markup is several times as long as its text.
export const HTML_SCAN_LENGTH_MAX = 4 * LINK_SCAN_LENGTH_MAX
// A link may enclose half of a mail.
const LINK_TEXT_LENGTH_MAX = 256
// How much of the text before a URL is used to find its kind.
const LEAD_LENGTH_MAX = 100

/**
 * The web links of a mail without duplicates: first those of the HTML in document order, then those that are only in
 * the plain text. A link that crosses the scan limit is left out, because half a URL leads elsewhere.
 */
export function findLinks({ text, html }: { text: string | null; html: string | null }): Link[] {
  const links = new Map<string, Link>()
  for (const anchor of html ? parseAnchors(cutText(html, HTML_SCAN_LENGTH_MAX)) : []) {
    const url = anchor.url.replace(/[\t\r\n]/g, '').trim()
    if (isWebLink(url)) keepBetter(links, url, cutText(anchor.text, LINK_TEXT_LENGTH_MAX) || url, anchor.text)
    if (links.size === LINKS_MAX) break
  }
  if (text && text.includes('://')) addTextLinks(links, text)
  return [...links.values()]
}

function isWebLink(url: string): boolean {
  return url.length <= LINK_LENGTH_MAX && WEB_LINK.test(url)
}
const WEB_LINK = /^https?:\/\/[^\s/?#]/i

function addTextLinks(links: Map<string, Link>, whole: string): void {
  // Includes the next character, which shows whether a link ends at the limit.
  const text = cutText(whole, LINK_SCAN_LENGTH_MAX + 2)
  let leadStart = 0
  TEXT_LINK.lastIndex = 0
  for (let match = TEXT_LINK.exec(text); match; match = TEXT_LINK.exec(text)) {
    if (links.size === LINKS_MAX || TEXT_LINK.lastIndex > LINK_SCAN_LENGTH_MAX) return
    const url = trimEnd(match[0])
    const lead = text.slice(Math.max(leadStart, match.index - LEAD_LENGTH_MAX), match.index)
    leadStart = TEXT_LINK.lastIndex
    if (!links.has(url) && isWebLink(url)) links.set(url, { url, text: url, kind: linkKind(url, lead) })
  }
}

// Ends at white space, angle brackets, quotes and the punctuation of scripts without spaces.
const TEXT_LINK = /https?:\/\/[^\s<>"“”„‘’«»`\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+/gi

/** Removes the punctuation of the sentence. A closing bracket stays if it was opened inside the URL. */
function trimEnd(url: string): string {
  let end = url.length
  let surplus: Record<string, number> | undefined
  for (; end > 0; end--) {
    const last = url[end - 1] ?? ''
    if (PUNCTUATION.includes(last)) continue
    if (!CLOSING.includes(last)) break
    surplus ??= surplusBrackets(url)
    if ((surplus[last] ?? 0) <= 0) break
    surplus[last] = (surplus[last] ?? 0) - 1
  }
  return url.slice(0, end)
}
const PUNCTUATION = `.,;:!?'*_~|\\`
const OPENING = '([{'
const CLOSING = ')]}'

/** How many more brackets of each kind are closed than opened. Counted once, so that many brackets stay cheap. */
function surplusBrackets(url: string): Record<string, number> {
  const surplus: Record<string, number> = { ')': 0, ']': 0, '}': 0 }
  for (const character of url) {
    const closing = CLOSING.includes(character) ? character : CLOSING[OPENING.indexOf(character)]
    if (closing) surplus[closing] = (surplus[closing] ?? 0) + (closing === character ? 1 : -1)
  }
  return surplus
}

/** Prefers a text over a URL, and a link whose kind is known over one whose kind is not. */
function keepBetter(links: Map<string, Link>, url: string, text: string, words: string): void {
  const known = links.get(url)
  const link = { url, text, kind: linkKind(url, words) }
  if (!known) {
    links.set(url, link)
    return
  }
  const isFirstText = isAddress(known.text) && !isAddress(text)
  if (isFirstText || (known.kind === 'other' && link.kind !== 'other')) links.set(url, link)
}

function isAddress(text: string): boolean {
  return /^(?:https?:\/\/|www\.)\S*$/i.test(text)
}
