import { characterStart } from './charset.ts'
import { HEADER_BLOCK_BYTES_MAX, HEADER_BYTES_MAX, HEADERS_MAX } from './limits.ts'

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const COLON = 0x3a

/** Where one header lies in the mail: name from `start` to `colon`, value after it to `end`, folds included. */
export type Field = { start: number; colon: number; end: number }

export type HeaderBlock = {
  fields: Field[]
  bodyStart: number
  isPartial: boolean
}

/**
 * Finds the headers that begin at `start`. The block ends at an empty line, at a line that `endsBlock` claims (a
 * delimiter of the multipart around it), or at once if its first line is no header: such mail is all body.
 */
export function findHeaders(raw: Uint8Array, start: number, endsBlock?: (lineStart: number) => boolean): HeaderBlock {
  const fields: Field[] = []
  let current: Field | null = null
  let isPartial = false
  let position = start
  let bodyStart = raw.length

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
    const isHeader = colon > lineStart
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
    if (!isHeader) continue
    // Over a limit the lines are still read, because the body begins behind them.
    if (fields.length >= HEADERS_MAX || lineStart - start >= HEADER_BLOCK_BYTES_MAX) {
      isPartial = true
      continue
    }
    current = { start: lineStart, colon, end: lineEnd }
    fields.push(current)
  }

  return { fields, bodyStart, isPartial: cutLongFields(raw, fields) || isPartial }
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

function findColon(raw: Uint8Array, lineStart: number, lineEnd: number): number {
  for (let index = lineStart; index < lineEnd; index++) if (raw[index] === COLON) return index
  return -1
}

function withoutLineEnd(raw: Uint8Array, lineStart: number, lineEnd: number): number {
  let end = lineEnd
  while (end > lineStart && (raw[end - 1] === LF || raw[end - 1] === CR)) end--
  return end
}
