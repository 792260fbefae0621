import { parseHeaderValue } from '../../mime/header-value.ts'
import { DEPTH_MAX, HEADER_BLOCK_BYTES_MAX, HEADERS_MAX, PARTS_MAX } from '../../mime/limits.ts'
import { RawText } from './json-pieces.ts'

/** A mail or a part of it, as MailHog shows it: nothing is decoded. */
export type MimeContent = { Headers: Record<string, string[]>; Body: RawText; Size: number; MIME: Mime | null }
export type Mime = { Parts: MimeContent[] | null }

/**
 * Each level repeats what is inside of it. Parts of mail with more levels than this are shown as text.
 */
const LEVELS_MAX = DEPTH_MAX / 2
/** RFC 2046 allows 70. Parts of mail with longer ones are not looked for, because that takes time in proportion to their length. */
const BOUNDARY_LENGTH_MAX = 200

const HEAD_END = '\r\n\r\n'

/** Splits a mail as MailHog does, including its oddities. The text has one character for each byte. */
export function parseContent(mail: string): MimeContent {
  const end = mail.indexOf(HEAD_END)
  const hasHead = end >= 0
  return {
    Headers: hasHead ? readHeaders(mail.slice(0, Math.min(end, HEADER_BLOCK_BYTES_MAX))) : {},
    Body: new RawText(hasHead ? mail.slice(end + HEAD_END.length) : mail),
    Size: mail.length,
    MIME: null,
  }
}

/** The parts of a mail, those inside of other parts too. Null if it has none. */
export function partsOf(content: MimeContent, left = { parts: PARTS_MAX, levels: LEVELS_MAX }): Mime | null {
  const type = content.Headers['Content-Type']?.[0]
  if (!type?.startsWith('multipart/') || left.levels === 0) return null
  const boundary = parseHeaderValue(type).parameters.get('boundary')
  if (!boundary || boundary.length > BOUNDARY_LENGTH_MAX) return { Parts: null }
  const parts: MimeContent[] = []
  for (const text of content.Body.bytes.split(`--${boundary}`, left.parts)) {
    if (text === '' || left.parts <= 0) continue
    left.parts--
    const part = parseContent(withoutLineEnds(text))
    parts.push(part)
    left.levels--
    part.MIME = partsOf(part, left)
    left.levels++
  }
  return { Parts: parts.length > 0 ? parts : null }
}

/** Of several headers with one name, MailHog keeps the last. */
function readHeaders(head: string): Record<string, string[]> {
  const headers = new Map<string, string>()
  let last: string | null = null
  for (const line of head.split('\r\n', HEADERS_MAX)) {
    const colon = line.indexOf(': ')
    if (last !== null && /^[ \t]/.test(line)) {
      headers.set(last, headers.get(last)! + line)
    } else if (colon >= 0) {
      last = line.slice(0, colon)
      headers.set(last, line.slice(colon + 2))
    }
  }
  return Object.fromEntries(
    Array.from(headers, ([name, value]) => [new RawText(name).toString(), [new RawText(value).toString()]]),
  )
}

function withoutLineEnds(text: string): string {
  const isLineEnd = (index: number) => text[index] === '\r' || text[index] === '\n'
  let [start, end] = [0, text.length]
  while (start < end && isLineEnd(start)) start++
  while (end > start && isLineEnd(end - 1)) end--
  return text.slice(start, end)
}
