// The mark makes a count, a time stamp or a message id, given as a cursor by mistake, a refusal instead of a place.
const MARK = 'c'

/** The opaque text of a position, a safe integer from 0; position 0 lies before every message. */
export function formatCursor(position: number): string {
  return MARK + position.toString(36)
}

export function parseCursor(text: string): number | null {
  if (!text.startsWith(MARK)) return null
  const position = Number.parseInt(text.slice(MARK.length), 36)
  return Number.isSafeInteger(position) && position >= 0 && formatCursor(position) === text ? position : null
}
