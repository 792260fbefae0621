import { contentEnd, type Delimiter, findDelimiter, readDelimiter } from './delimiter.ts'
import { findHeaders } from './header-block.ts'
import { readHeaders } from './headers.ts'
import { BOUNDARY_BYTES_MAX, DEPTH_MAX, PARTS_MAX } from './limits.ts'
import { guessBoundary } from './boundary-guess.ts'
import { describePart, isMultipart, type Part } from './part.ts'

const encoder = new TextEncoder()

type Outline = {
  raw: Uint8Array
  /** The open multiparts at the current position and their boundaries, outermost first. */
  open: Part[]
  boundaries: Uint8Array[]
  isPartial: boolean
}

/** Adds the parts of a mail to its root, in one pass. Returns whether a limit cut something off. */
export function readStructure(raw: Uint8Array, root: Part): boolean {
  const isPartial = readParts(raw, root, declaredBoundary(root))
  const isLost = isMultipart(root) && root.children.length === 0 && !root.isOpaque
  const boundary = isLost ? guessBoundary(raw, root.start) : null
  return boundary === null ? isPartial : readParts(raw, root, boundary)
}

function readParts(raw: Uint8Array, root: Part, boundary: string): boolean {
  root.end = raw.length
  const outline: Outline = { raw, open: [], boundaries: [], isPartial: false }
  openMultipart(outline, root, boundary)

  let leaf: Part | null = null
  let position = root.start
  let partCount = 0
  while (outline.open.length > 0) {
    const delimiter = findDelimiter(raw, outline.boundaries, position)
    if (!delimiter) break
    closeParts(outline, leaf, delimiter)
    leaf = null
    position = delimiter.nextLine
    if (delimiter.isClosing) continue

    const parent = outline.open.at(-1)!
    if (++partCount > PARTS_MAX) {
      parent.children.push(opaqueRest(raw, position))
      return true
    }
    leaf = readPart(outline, parent, position)
    parent.children.push(leaf)
    position = leaf.start
    openMultipart(outline, leaf, declaredBoundary(leaf))
  }
  return outline.isPartial
}

function readPart(outline: Outline, parent: Part, position: number): Part {
  const { raw, boundaries } = outline
  const block = findHeaders(raw, position, (line) => readDelimiter(raw, boundaries, line) !== null)
  if (block.isPartial) outline.isPartial = true
  const part = describePart(readHeaders(raw, block), block.bodyStart, parent)
  part.end = raw.length
  return part
}

/**
 * RFC 2046, 5.1.1: a boundary does not end in a blank. If it does, relays have removed the blank from the delimiters.
 */
function declaredBoundary(part: Part): string {
  return isMultipart(part) ? (part.contentParameters.get('boundary') ?? '').trimEnd() : ''
}

function openMultipart(outline: Outline, part: Part, boundary: string): void {
  if (boundary === '') return
  const bytes = encoder.encode(boundary)
  if (outline.open.length >= DEPTH_MAX || bytes.length > BOUNDARY_BYTES_MAX) {
    outline.isPartial = true
    part.isOpaque = true
    return
  }
  outline.open.push(part)
  outline.boundaries.push(bytes)
}

/** A delimiter ends the part before it and all open multiparts inside its own multipart. */
function closeParts(outline: Outline, leaf: Part | null, delimiter: Delimiter): void {
  const { open, boundaries, raw } = outline
  const end = contentEnd(raw, delimiter)
  const depth = delimiter.isClosing ? delimiter.level : delimiter.level + 1
  if (leaf) leaf.end = Math.max(leaf.start, end)
  while (open.length > depth) {
    const part = open.pop()!
    part.end = Math.max(part.start, end)
    boundaries.pop()
  }
}

function opaqueRest(raw: Uint8Array, start: number): Part {
  const rest = describePart([{ name: 'Content-Type', value: 'application/octet-stream' }], start)
  rest.end = raw.length
  return rest
}
