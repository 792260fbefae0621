const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const DASH = 0x2d

/** A delimiter line of a multipart. */
export type Delimiter = {
  /** The index of its boundary among the open ones. */
  level: number
  /** Whether it ends its multipart: `--boundary--`. */
  isClosing: boolean
  lineStart: number
  nextLine: number
}

/** The first delimiter from `position` on, which is the start of a line. Boundaries are listed outermost first. */
export function findDelimiter(raw: Uint8Array, boundaries: Uint8Array[], position: number): Delimiter | null {
  let dash = raw.indexOf(DASH, position)
  while (dash >= 0) {
    const isLineStart = dash === position || raw[dash - 1] === LF
    const delimiter = isLineStart ? readDelimiter(raw, boundaries, dash) : null
    if (delimiter) return delimiter
    dash++
    while (raw[dash] === DASH) dash++
    dash = raw.indexOf(DASH, dash)
  }
  return null
}

/** The delimiter in the line at `lineStart`. Innermost first, because boundaries may share a prefix. */
export function readDelimiter(raw: Uint8Array, boundaries: Uint8Array[], lineStart: number): Delimiter | null {
  if (raw[lineStart] !== DASH || raw[lineStart + 1] !== DASH) return null
  for (let level = boundaries.length - 1; level >= 0; level--) {
    const boundary = boundaries[level]!
    if (!startsWith(raw, boundary, lineStart + 2)) continue
    const end = lineStart + 2 + boundary.length
    const isClosing = raw[end] === DASH && raw[end + 1] === DASH
    const nextLine = endOfBlankLine(raw, isClosing ? end + 2 : end)
    if (nextLine >= 0) return { level, isClosing, lineStart, nextLine }
  }
  return null
}

/** The line break before a delimiter is part of it, not of the content (RFC 2046, 5.1.1). */
export function contentEnd(raw: Uint8Array, delimiter: Delimiter): number {
  let end = delimiter.lineStart
  if (raw[end - 1] === LF) end--
  if (raw[end - 1] === CR) end--
  return end
}

function startsWith(raw: Uint8Array, prefix: Uint8Array, position: number): boolean {
  if (position + prefix.length > raw.length) return false
  for (let index = 0; index < prefix.length; index++) {
    if (raw[position + index] !== prefix[index]) return false
  }
  return true
}

function endOfBlankLine(raw: Uint8Array, start: number): number {
  let position = start
  while (raw[position] === SPACE || raw[position] === TAB || raw[position] === CR) position++
  if (position >= raw.length) return raw.length
  return raw[position] === LF ? position + 1 : -1
}
