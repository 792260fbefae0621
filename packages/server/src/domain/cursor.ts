// With the mark, a number, a timestamp or a message id that is passed by mistake is refused instead of misread.
const MARK = 'c'

/** The opaque text of a position, which is a safe integer. Position 0 is before every message. */
export function formatCursor(position: number): string {
  return MARK + position.toString(36)
}

export function parseCursor(text: string): number | null {
  if (!text.startsWith(MARK)) return null
  const position = Number.parseInt(text.slice(MARK.length), 36)
  return Number.isSafeInteger(position) && position >= 0 && formatCursor(position) === text ? position : null
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'

/** For the OpenAPI document: what `parseCursor` accepts. */
export const CURSOR_PATTERN = `^${MARK}(?:0|[1-9a-z][0-9a-z]{0,9}|(?!0)${upTo(Number.MAX_SAFE_INTEGER.toString(36))})$`

/** A pattern for numbers with the same number of digits that are not greater. */
function upTo(greatest: string): string {
  const [digit = '', rest] = [greatest[0], greatest.slice(1)]
  const lower = DIGITS.slice(0, DIGITS.indexOf(digit))
  const same = digit + (rest && upTo(rest))
  return lower === '' ? same : `(?:[${lower}][0-9a-z]{${rest.length}}|${same})`
}
