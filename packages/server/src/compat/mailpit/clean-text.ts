import { decodeHTML } from 'entities/decode'
import { tokenizeHtml } from '../../domain/html/html-tokens.ts'
import { isTextFromHtml, textWithLinks } from '../link-text.ts'

/** Text in the form in which Mailpit compares it: lower case, on one line, without some punctuation. */
export function cleanText(text: string): string {
  return text
    .replaceAll(/[\ufeff\r\n\t<>",;()]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

const BLOCKS = new Set(
  `div p td th h1 h2 h3 h4 h5 h6 ul ol li address article aside blockquote dl dt footer header hr main nav pre table thead tfoot
   video`.split(/\s+/),
)
const WITHOUT_TEXT = new Set(['head', 'title', 'noscript', 'script', 'style'])

/** The words of an HTML body on one line, also those that a browser would hide. With `withLinks`, links are followed by their URLs. */
export function wordsOfHtml(html: string, { withLinks }: { withLinks: boolean }): string {
  const parts: string[] = []
  let silent = ''
  let href: string | null = null
  tokenizeHtml(html, {
    text(run) {
      if (silent === '') parts.push(decodeHTML(run))
    },
    open(name, attributes) {
      if (silent === 'head' && name === 'body') silent = ''
      if (silent !== '') return
      if (WITHOUT_TEXT.has(name)) silent = name
      if (name === 'br' || name === 'img') parts.push(' ')
      if (name === 'a') href = attributes.href ?? null
    },
    close(name) {
      if (name === silent) silent = ''
      if (silent !== '') return
      if (BLOCKS.has(name)) parts.push(' ')
      if (name === 'a' && withLinks && href !== null && /^http/i.test(href)) parts.push(` ${href} `)
      if (name === 'a') href = null
    },
  })
  return onOneLine(parts.join(''))
}

function onOneLine(text: string): string {
  return text.replaceAll(/[\p{C}\s]+/gu, ' ').trim()
}

const SNIPPET_BYTES_MAX = 200
/** How much of a body a snippet is made of. Style sheets before the text of HTML are rarely longer. */
const SNIPPET_SOURCE = { html: 32_768, text: 4_096 }

/** The first words of a message. */
export function snippetOf({ html, text }: { html: string | null; text: string | null }): string {
  const words =
    (html ?? '').trim() === ''
      ? onOneLine((text ?? '').slice(0, SNIPPET_SOURCE.text).toWellFormed())
      : wordsOfHtml(html!.slice(0, SNIPPET_SOURCE.html).toWellFormed(), { withLinks: false })
  const bytes = Buffer.from(words)
  if (bytes.length <= SNIPPET_BYTES_MAX) return words
  // Like Mailpit, leaves out a last character of several bytes, even if it is complete.
  let end = SNIPPET_BYTES_MAX
  while (isContinuation(bytes[end - 1]!)) end--
  if (bytes[end - 1]! >= 0x80) end--
  return `${bytes.toString('utf8', 0, end)}...`
}

/** Whether the byte is a later one of a character. */
function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0
}

/** The text of a message. If the mail has only HTML, links in it are followed by their URLs: `Confirm ( https://… )`. */
export function textOf(message: { html: string | null; text: string | null }): string {
  return isTextFromHtml(message) ? textWithLinks(message.html!, (href) => ` ( ${href} )`) : (message.text ?? '')
}
