import { characterStart } from './charset.ts'
import { HEADER_BLOCK_BYTES_MAX, HEADER_BYTES_MAX, HEADERS_MAX } from './limits.ts'

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const COLON = 0x3a
const GREATER = 0x3e
const FROM = new TextEncoder().encode('From ')

/** Where one header lies in the mail: name from `start` to `colon`, value after it to `end`, folds included. */
export type Field = { start: number; colon: number; end: number }

export type HeaderBlock = {
  fields: Field[]
  bodyStart: number
  isPartial: boolean
}

/**
 * Finds the headers that begin at `start`. The block ends at an empty line, at a line that `endsBlock` claims (a
 * delimiter of the multipart around it), or at once if its first line is no header: such a part is all body. Lines that
 * are no headers are left out when headers follow; at the end of the block they begin the body.
 */
export function findHeaders(raw: Uint8Array, start: number, endsBlock?: (lineStart: number) => boolean): HeaderBlock {
  const fields: Field[] = []
  let current: Field | null = null
  let isPartial = false
  let position = start
  let bodyStart = raw.length
  let strayStart = -1

  while (position < raw.length) {
    const lineStart = position
    const lineFeed = raw.indexOf(LF, lineStart)
    position = lineFeed < 0 ? raw.length : lineFeed + 1
    const lineEnd = withoutLineEnd(raw, lineStart, position)

    if (lineEnd === lineStart) {
      bodyStart = position
      break
    }
    if (endsBlock?.(lineStart)) {
      bodyStart = lineStart
      break
    }

    const isFold = raw[lineStart] === SPACE || raw[lineStart] === TAB
    const colon = isFold ? -1 : findColon(raw, lineStart, lineEnd)
    const isMbox = isMboxLine(raw, lineStart)
    const isHeader = colon > lineStart && !isMbox && (strayStart < 0 || isName(raw, lineStart, colon))
    if (!isHeader && fields.length === 0) {
      bodyStart = lineStart
      break
    }

    if (isFold) {
      if (current) current.end = lineEnd
      continue
    }
    // A line that is neither header nor fold is left out, and so are the folds after it.
    current = null
    if (!isHeader) {
      if (strayStart < 0 && !isMbox) strayStart = lineStart
      continue
    }
    strayStart = -1
    // Over a limit the lines are still read, because the body begins behind them.
    if (fields.length >= HEADERS_MAX || lineStart - start >= HEADER_BLOCK_BYTES_MAX) {
      isPartial = true
      continue
    }
    current = { start: lineStart, colon, end: lineEnd }
    fields.push(current)
  }

  if (strayStart >= 0) bodyStart = strayStart
  return { fields, bodyStart, isPartial: cutLongFields(raw, fields) || isPartial }
}

/** A line that separates mails in a file, `From a@b.c Mon Nov 16 …`, as it is or quoted. */
export function isMboxLine(raw: Uint8Array, lineStart: number): boolean {
  const start = raw[lineStart] === GREATER ? lineStart + 1 : lineStart
  if (!FROM.every((byte, index) => raw[start + index] === byte)) return false
  // `From : a@b.c` is a header.
  let next = start + FROM.length
  while (raw[next] === SPACE || raw[next] === TAB) next++
  return raw[next] !== COLON
}

/** RFC 5322, 2.2: a name has no blanks within; those after it are old practice. */
export function isName(raw: Uint8Array, start: number, colon: number): boolean {
  let end = colon
  while (end > start && (raw[end - 1] === SPACE || raw[end - 1] === TAB)) end--
  for (let index = start; index < end; index++) if (raw[index]! <= SPACE || raw[index]! > 0x7e) return false
  return end > start
}

function cutLongFields(raw: Uint8Array, fields: Field[]): boolean {
  let isCut = false
  for (const field of fields) {
    if (field.end - field.start <= HEADER_BYTES_MAX) continue
    field.end = characterStart(raw, field.start + HEADER_BYTES_MAX)
    field.colon = Math.min(field.colon, field.end)
    isCut = true
  }
  return isCut
}

export function findColon(raw: Uint8Array, lineStart: number, lineEnd: number): number {
  for (let index = lineStart; index < lineEnd; index++) if (raw[index] === COLON) return index
  return -1
}

function withoutLineEnd(raw: Uint8Array, lineStart: number, lineEnd: number): number {
  let end = lineEnd
  while (end > lineStart && (raw[end - 1] === LF || raw[end - 1] === CR)) end--
  return end
}
