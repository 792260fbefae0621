import { findColon, findHeaders, type HeaderBlock, isMboxLine, isName } from './header-block.ts'

const NUL = 0x00
const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20

// Lines that a program puts before the headers by mistake: a separator of an mbox file, the rest of a header.
const STRAY_LINES_MAX = 20
const STRAY_BYTES_MAX = 4 * 1024

// Longer than any of the names below.
const NAME_BYTES_MAX = 30

// Headers of mail. Lines of other text do not start with these names.
const KNOWN = new Set([
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'sender',
  'reply-to',
  'message-id',
  'received',
  'return-path',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'delivered-to',
  'dkim-signature',
])

// Every mail has one of these. After several lines of text, other headers may be part of that text.
const ORIGINS = ['from', 'received', 'return-path']

/** Finds the headers of a mail, even after some stray lines. Without headers, the whole mail is the body. */
export function findHead(raw: Uint8Array): HeaderBlock {
  const start = raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf ? 3 : 0
  const isOdd = isSkipped(raw[start])
  const block = isOdd ? null : findHeaders(raw, start)
  if (block && block.fields.length > 0) return block
  return findLateHead(raw, start) ?? block ?? { fields: [], bodyStart: bodyOf(raw, start), isPartial: false }
}

function findLateHead(raw: Uint8Array, start: number): HeaderBlock | null {
  let strayCount = 0
  let position = start
  for (let line = 0; line <= STRAY_LINES_MAX && position - start <= STRAY_BYTES_MAX; line++) {
    while (isSkipped(raw[position])) position++
    if (position >= raw.length) return null
    const lineFeed = raw.indexOf(LF, position)
    const lineEnd = lineFeed < 0 ? raw.length : lineFeed
    const isFold = raw[position] === SPACE || raw[position] === TAB
    const colon = isFold || isMboxLine(raw, position) ? -1 : findColon(raw, position, lineEnd)
    if (colon > position && isName(raw, position, colon)) return confirm(raw, position, strayCount)
    const indented = isFold ? indentedHeader(raw, position, lineEnd) : -1
    if (indented >= 0) return findHeaders(raw, indented)
    if (!isFold && !isMboxLine(raw, position)) strayCount++
    // Such a line before an empty line is text.
    if (strayCount > 0 && isEmptyLine(raw, lineEnd + 1)) return null
    position = lineEnd + 1
  }
  return null
}

/** The start of an indented header. -1 if the line is the rest of another header. */
function indentedHeader(raw: Uint8Array, lineStart: number, lineEnd: number): number {
  let start = lineStart
  while (raw[start] === SPACE || raw[start] === TAB) start++
  const colon = findColon(raw, start, lineEnd)
  return colon > start && KNOWN.has(nameAt(raw, start, colon)) ? start : -1
}

function nameAt(raw: Uint8Array, start: number, colon: number): string {
  const name = raw.subarray(start, Math.min(colon, start + NAME_BYTES_MAX))
  return String.fromCharCode(...name)
    .trim()
    .toLowerCase()
}

/** The header block if it looks like mail. Other text may also have a colon in its first line. */
function confirm(raw: Uint8Array, start: number, strayCount: number): HeaderBlock | null {
  const block = findHeaders(raw, start)
  const names = block.fields.map((field) => nameAt(raw, field.start, field.colon))
  const known = new Set(names.filter((name) => KNOWN.has(name)))
  const isExpected = strayCount < 2 || ORIGINS.some((name) => known.has(name))
  return isExpected && known.size > (strayCount > 0 ? 1 : 0) ? block : null
}

function bodyOf(raw: Uint8Array, start: number): number {
  return raw[start] === CR && raw[start + 1] === LF ? start + 2 : raw[start] === LF ? start + 1 : start
}

function isEmptyLine(raw: Uint8Array, start: number): boolean {
  return raw[start] === LF || (raw[start] === CR && raw[start + 1] === LF)
}

function isSkipped(byte: number | undefined): boolean {
  return byte === LF || byte === CR || byte === NUL
}
