import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { cleanCss } from './clean-css.ts'
import { decodePercent } from './decode-percent.ts'
import { tokenizeHtml } from './html-tokens.ts'

export type HtmlRules = {
  /** Allows images and backgrounds from remote servers. Loading them tells the sender that the mail was opened. */
  remoteImages: boolean
  /** The attached image with this content id as a `data:` URL. Called for every use of the image. */
  inlineImage: (contentId: string) => string | null
}

/**
 * The output for one mail without its images. Ordinary mail grows by a tenth. A mail made of links without an address
 * would grow from 1 MiB to 16 MiB.
 */
export const WRITTEN_CHARACTERS_MAX = 4 * 1024 * 1024
/** All images of one mail, counted for every use: 5 MiB of bytes, which are a third larger as text. */
export const IMAGE_CHARACTERS_MAX = 7_000_000

/** `isCut` if the output reached the limit and the rest is missing. */
export type CleanHtml = { html: string; isCut: boolean }

/**
 * Makes untrusted HTML safe. The output is written from the parsed tokens: only known elements and attributes, quoted
 * and escaped, so that a browser parses exactly what was checked here. Of unknown elements, only the text stays.
 */
export function cleanHtml(html: string, given: HtmlRules): CleanHtml {
  const parts: string[] = []
  let charactersLeft = WRITTEN_CHARACTERS_MAX
  let isCut = false
  const rules = { ...given, inlineImage: withinLimit(given.inlineImage, (image) => (charactersLeft += image.length)) }
  const css = { allowsUrl: (url: string) => isImageUrl(url, rules) }

  function write(part: string): void {
    charactersLeft -= part.length
    isCut ||= charactersLeft < 0
    if (!isCut) parts.push(part)
  }

  tokenizeHtml(html, {
    wantsAllAttributes: true,
    text: (run) => isCut || write(escapeText(decodeHTML(run))),
    style: (content) => isCut || write(`<style>${cleanCss(content, css)}</style>`),
    open(name, { all }) {
      if (!isCut && ELEMENTS.has(name)) write(`<${name}${all ? cleanAttributes(name, all, rules) : ''}>`)
    },
    close(name) {
      if (!isCut && ELEMENTS.has(name) && !VOID.has(name)) write(`</${name}>`)
    },
  })
  return { html: parts.join(''), isCut }
}

/** Counts every use of an image. An image that does not fit is left out, but smaller ones may still fit later. */
function withinLimit(
  inlineImage: HtmlRules['inlineImage'],
  onWritten: (image: string) => void,
): HtmlRules['inlineImage'] {
  let charactersLeft = IMAGE_CHARACTERS_MAX
  return (contentId) => {
    const image = inlineImage(contentId)
    if (image === null || image.length > charactersLeft) return null
    charactersLeft -= image.length
    onWritten(image)
    return image
  }
}

function cleanAttributes(element: string, all: Map<string, string>, rules: HtmlRules): string {
  let written = ''
  for (const [name, raw] of all) {
    const value = cleanValue(element, name, decodeHTMLAttribute(raw), rules)
    if (value !== null) written += ` ${name}="${escapeValue(value)}"`
  }
  // Only a link to a fragment of the mail opens inside the frame.
  const opensOutside = (element === 'a' || element === 'area') && !/ href="#/.test(written)
  return opensOutside ? `${written} target="_blank" rel="noopener noreferrer"` : written
}

/** Null removes the attribute. */
function cleanValue(element: string, name: string, value: string, rules: HtmlRules): string | null {
  switch (name) {
    case 'style':
      return cleanCss(value, { allowsUrl: (url) => isImageUrl(url, rules) })
    case 'href':
      return LINKING.has(element) && LINK.test(value.trim()) ? value.trim() : null
    case 'src':
      return element === 'img' ? imageUrl(value.trim(), rules) : null
    case 'background':
      return imageUrl(value.trim(), rules)
    default:
      return ATTRIBUTES.has(name) || name.startsWith('aria-') ? value : null
  }
}

function imageUrl(url: string, rules: HtmlRules): string | null {
  const contentId = contentIdOf(url)
  if (contentId !== null) return rules.inlineImage(decodePercent(contentId)) ?? rules.inlineImage(contentId)
  return isImageUrl(url.toLowerCase(), rules) ? url : null
}

/** As written in the URL. Null if it is the URL of something else. */
function contentIdOf(url: string): string | null {
  return /^cid:<?([^<>]+)>?$/i.exec(url)?.[1] ?? null
}

function isImageUrl(url: string, { remoteImages }: HtmlRules): boolean {
  return DATA_IMAGE.test(url) || (remoteImages && url.startsWith('https://'))
}

/** The content ids for which cleaning asks, in document order, as written and decoded. */
export function inlineImageIds(html: string): string[] {
  const found = new Set<string>()
  const keep = (value: string | undefined) => {
    const contentId = value === undefined ? null : contentIdOf(decodeHTMLAttribute(value).trim())
    if (contentId !== null) found.add(decodePercent(contentId)).add(contentId)
  }
  tokenizeHtml(html, {
    wantsAllAttributes: true,
    text: () => {},
    open(name, { all }) {
      if (!all || !ELEMENTS.has(name)) return
      if (name === 'img') keep(all.get('src'))
      keep(all.get('background'))
    },
    close: () => {},
  })
  return Array.from(found)
}

function escapeText(text: string): string {
  // Most texts contain none of these.
  if (!/[&<>]/.test(text)) return text
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

export function escapeValue(text: string): string {
  const escaped = escapeText(text)
  return /["']/.test(escaped) ? escaped.replaceAll('"', '&quot;').replaceAll("'", '&#39;') : escaped
}

const LINK = /^(?:https?:\/\/|mailto:|tel:|#)/i
const LINKING = new Set(['a', 'area'])
/** Raster images only. SVG can contain markup, and mail programs do not show it either. */
const DATA_IMAGE = /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp)\b/

const VOID = new Set(['area', 'br', 'col', 'hr', 'img', 'wbr'])
const ELEMENTS = new Set(
  `a abbr address area article aside b bdi bdo big blockquote body br caption center cite code col colgroup dd del
  details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main map mark
  nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time
  tr tt u ul var wbr`.split(/\s+/),
)
const ATTRIBUTES = new Set(
  `abbr align alt bgcolor border cellpadding cellspacing class clear color cols colspan coords datetime dir face headers
  height hidden hspace id lang link name noshade nowrap open reversed role rowspan rules scope shape size span start
  summary text title type usemap valign value vlink vspace width`.split(/\s+/),
)
