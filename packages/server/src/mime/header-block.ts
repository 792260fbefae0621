import { characterStart } from './charset.ts'
import { HEADER_BLOCK_BYTES_MAX, HEADER_BYTES_MAX, HEADERS_MAX } from './limits.ts'

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const COLON = 0x3a
const GREATER = 0x3e
const FROM = new TextEncoder().encode('From ')

/** The position of a header in the mail: name from `start` to `colon`, then the value up to `end`, including folds. */
export type Field = { start: number; colon: number; end: number }

export type HeaderBlock = {
  fields: Field[]
  bodyStart: number
  isPartial: boolean
}

/**
 * Finds the headers that start at `start`. The block ends at an empty line or where `endsBlock` is true (a delimiter of
 * the enclosing multipart). If the first line is not a header, the block is empty and everything is body. Other lines
 * that are not headers are skipped if headers follow, or else start the body.
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
    // Skips a line that is neither a header nor a fold, and the folds after it.
    current = null
    if (!isHeader) {
      if (strayStart < 0 && !isMbox) strayStart = lineStart
      continue
    }
    strayStart = -1
    // Beyond a limit, lines are still read to find the start of the body.
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

/** A separator line of an mbox file, `From a@b.c Mon Nov 16 …`, also quoted. */
export function isMboxLine(raw: Uint8Array, lineStart: number): boolean {
  const start = raw[lineStart] === GREATER ? lineStart + 1 : lineStart
  if (!FROM.every((byte, index) => raw[start + index] === byte)) return false
  // `From : a@b.c` is a header.
  let next = start + FROM.length
  while (raw[next] === SPACE || raw[next] === TAB) next++
  return raw[next] !== COLON
}

/** RFC 5322, 2.2: a name contains no blanks. Blanks after it are obsolete syntax. */
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
