import type { Attachment, Header, Link, MessageDetail, MessageSummary } from '@mailhatch/sdk'
import { cutText } from '../domain/cut-text.ts'
import { visibleText } from '../domain/html/visible-text.ts'
import { readAuthentication } from './authentication-header.ts'
import { cleanLine, cleanText, type Fields } from './untrusted-text.ts'

// Enough for legitimate values; longer ones would only fill the agent's context.
const ADDRESS_LENGTH_MAX = 254
const NAME_LENGTH_MAX = 100
const SUBJECT_LENGTH_MAX = 200
const FILE_NAME_LENGTH_MAX = 120
const LINK_TEXT_LENGTH_MAX = 100
const HEADER_VALUE_LENGTH_MAX = 500
const ATTACHMENTS_MAX = 20
const LINKS_MAX = 20
// A cut link does not work, so longer ones are left out. Sign-in links stay below 2 KiB.
const LINK_LENGTH_MAX = 4_096

export function summaryOf(message: MessageSummary): Fields {
  return {
    id: message.id,
    received_at: message.receivedAt,
    cursor: message.cursor,
    attachment_count: message.attachmentCount,
    untrusted: sentBy(message),
  }
}

/** What most callers need from a mail, without its body. */
export function factsOf(message: MessageDetail): Fields {
  const { links, leftOut } = linksOf(message.links)
  return {
    id: message.id,
    received_at: message.receivedAt,
    cursor: message.cursor,
    ...codeOf(message),
    authentication_header: readAuthentication(message.headers),
    attachment_count: message.attachmentCount,
    parse: message.parse,
    links_left_out: leftOut,
    untrusted: {
      ...sentBy(message),
      links,
      attachments: message.attachments.slice(0, ATTACHMENTS_MAX).map(attachmentOf),
    },
  }
}

/** The visible text of the HTML body, else the plain text. */
export function bodyOf({ htmlContent, textContent }: MessageDetail): { text: string; hiddenCharacters: number } {
  const visible = htmlContent === null ? null : visibleText(htmlContent)
  const shown = visible?.text.trim() ? visible.text : (textContent ?? '')
  return { text: cleanText(shown).trim(), hiddenCharacters: visible?.hiddenCharacters ?? 0 }
}

/** As many headers as fit, in their original order. */
export function headersOf(headers: Header[], charactersMax: number): { headers: string[]; leftOut: number } {
  const shown: string[] = []
  let left = charactersMax
  for (const { name, value } of headers) {
    const line = `${cleanLine(name, NAME_LENGTH_MAX)}: ${cleanLine(value, HEADER_VALUE_LENGTH_MAX)}`
    left -= line.length
    if (left < 0) break
    shown.push(line)
  }
  return { headers: shown, leftOut: headers.length - shown.length }
}

export function attachmentOf({ index, filename, contentType, size }: Attachment): Fields {
  return {
    part: String(index),
    file_name: filename === null ? null : cleanLine(filename, FILE_NAME_LENGTH_MAX),
    content_type: cleanLine(contentType, NAME_LENGTH_MAX),
    size,
  }
}

/** A part of the text, and the number of characters after it. */
export function cutBody(text: string, { from, lengthMax }: { from: number; lengthMax: number }) {
  const rest = text.slice(from)
  const shown = cutText(rest, lengthMax).toWellFormed()
  return { shown, leftOut: rest.length - shown.length }
}

function sentBy({ from, fromName, to, subject }: MessageSummary): Fields {
  return {
    from: cleanLine(from, ADDRESS_LENGTH_MAX),
    from_name: fromName === null ? null : cleanLine(fromName, NAME_LENGTH_MAX),
    to: cleanLine(to, ADDRESS_LENGTH_MAX),
    subject: cleanLine(subject, SUBJECT_LENGTH_MAX),
  }
}

/** Trusted, because the pattern allows nothing but a code. */
function codeOf({ codes: [best] }: MessageDetail): Fields {
  return best && /^[A-Za-z\d-]{4,11}$/.test(best.value) ? { code: best.value, code_confidence: best.confidence } : {}
}

/** Links to verify, reset or sign in come first. Serialised URLs contain no invisible characters. */
function linksOf(all: Link[]): { links: Fields[]; leftOut: number } {
  const isAction = ({ kind }: Link) => kind === 'verify' || kind === 'reset' || kind === 'magic'
  const links = [...all.filter(isAction), ...all.filter((link) => !isAction(link))].flatMap(({ url, text, kind }) => {
    const parsed = URL.parse(url)
    if (!parsed || parsed.href.length > LINK_LENGTH_MAX) return []
    return [{ kind, host: parsed.host, url: parsed.href, text: cleanLine(text, LINK_TEXT_LENGTH_MAX) }]
  })
  return { links: links.slice(0, LINKS_MAX), leftOut: all.length - Math.min(links.length, LINKS_MAX) }
}
