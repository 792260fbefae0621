import { FILES_IN_TEXT_MAX } from './limits.ts'

const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20

/** A file within a text: `begin 644 name`, lines of data, `end`. */
export type UuFile = { name: string; start: number; end: number }

// Enough for a path. Names are cut further later.
const LINE_BYTES_MAX = 300

const BEGIN_BYTES = new TextEncoder().encode('begin ')
const BEGIN = /^begin [0-7]{3,4}(?: (.*))?$/

/**
 * Writes the content of the first file to `target` while there is room, or only counts if there is no target. A line
 * cannot contain more bytes than it encodes, whatever length it declares.
 */
export function decodeUuencoded(source: Uint8Array, target: Uint8Array | null): number {
  const lengthMax = target?.length ?? source.length
  let length = 0
  let position = skipBegin(source)
  while (position < source.length && length < lengthMax) {
    const { end, next } = lineAt(source, position)
    if (end === position || isEnd(source, position, end)) break
    const count = sixBits(source[position])
    if (count === 0) break
    length = decodeLine({ source, start: position + 1, end }, count, target, length)
    position = next
  }
  return Math.min(length, lengthMax)
}

type Line = { source: Uint8Array; start: number; end: number }

// Writing beyond the end of a typed array does nothing, so the output is cut. Blanks at the end of a line mean zero,
// and some programs remove them.
function decodeLine({ source, start, end }: Line, count: number, target: Uint8Array | null, at: number): number {
  if (!target) return at + count
  const digit = (index: number) => (index < end ? sixBits(source[index]) : 0)
  for (let written = 0, index = start; written < count; written += 3, index += 4) {
    const bits = (digit(index) << 18) | (digit(index + 1) << 12) | (digit(index + 2) << 6) | digit(index + 3)
    target[at + written] = bits >> 16
    if (written + 1 < count) target[at + written + 1] = bits >> 8
    if (written + 2 < count) target[at + written + 2] = bits
  }
  return at + count
}

/** The files in the text from `start` to `end` of a mail. */
export function findUuFiles(raw: Uint8Array, start: number, end: number): UuFile[] {
  const text = raw.subarray(start, end)
  const files: UuFile[] = []
  let position = 0
  while (position < text.length && files.length < FILES_IN_TEXT_MAX) {
    const name = beginAt(text, position)
    const fileEnd = name === null ? -1 : endOfFile(text, lineAt(text, position).next)
    if (name !== null && fileEnd >= 0) files.push({ name, start: start + position, end: start + fileEnd })
    position = fileEnd >= 0 ? fileEnd : lineAt(text, position).next
  }
  return files
}

/** The start of the line after `end` if all lines before it are data, or else -1. A `begin` line is not data. */
function endOfFile(text: Uint8Array, start: number): number {
  let position = start
  while (position < text.length) {
    const { end, next } = lineAt(text, position)
    if (position > start && isEnd(text, position, end)) return next
    if (!isData(text, position, end)) return -1
    position = next
  }
  return -1
}

function isData(text: Uint8Array, start: number, end: number): boolean {
  // The last line has no data, and its only character may be a blank.
  if (end === start) return true
  const count = sixBits(text[start])
  if (text[start]! < SPACE || text[start]! > 0x60) return false
  const digits = Math.ceil(count / 3) * 4
  // Some programs add a checksum, and some remove blanks at the end.
  return end - start - 1 <= digits + 2 && end - start - 1 >= digits - 4
}

function beginAt(text: Uint8Array, start: number): string | null {
  // A fast check by letters before the pattern.
  if (!BEGIN_BYTES.every((byte, index) => text[start + index] === byte)) return null
  const { end } = lineAt(text, start)
  const match = BEGIN.exec(new TextDecoder().decode(text.subarray(start, Math.min(end, start + LINE_BYTES_MAX))))
  return match ? (match[1] ?? '').trim() : null
}

function skipBegin(source: Uint8Array): number {
  for (let position = 0; position < source.length;) {
    const { next } = lineAt(source, position)
    if (beginAt(source, position) !== null) return next
    position = next
  }
  return 0
}

function isEnd(text: Uint8Array, start: number, end: number): boolean {
  return end - start === 3 && text[start] === 0x65 && text[start + 1] === 0x6e && text[start + 2] === 0x64
}

function sixBits(byte = SPACE): number {
  return (byte - SPACE) & 0x3f
}

function lineAt(text: Uint8Array, start: number): { end: number; next: number } {
  const lineFeed = text.indexOf(LF, start)
  const next = lineFeed < 0 ? text.length : lineFeed + 1
  let end = lineFeed < 0 ? text.length : lineFeed
  if (end > start && text[end - 1] === CR) end--
  return { end, next }
}
