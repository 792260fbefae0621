import { removeInvisible } from './html-text.ts'

/**
 * The text in which codes are looked for. Full-width characters and digits of other scripts become plain ones, spelled codes
 * are put together, invisible characters go, and so do web addresses: their digits mean nothing.
 */
export function toPlainText(text: string): string {
  const visible = removeInvisible(text)
  const narrowed = FULL_WIDTH_DIGIT.test(visible) ? visible.replace(FULL_WIDTH, narrow) : visible
  const plain = OTHER_DIGIT_SEEN.test(narrowed) ? narrowed.replace(OTHER_DIGIT, toDigit) : narrowed
  const joined = SPELLED_SEEN.test(plain)
    ? plain.replace(SPELLED, (spelled) => `\n${spelled.replace(/\s/g, '')}`)
    : plain
  return joined.includes('://') || joined.includes('www.') ? joined.replace(WEB_ADDRESS, '…') : joined
}
// Each digit in a box of its own, which becomes a line, or letters and digits with spaces: 15 characters at most, and
// no look ahead goes farther, because a line of spaces would be looked at anew from each of them.
const SPELLED =
  /(?:^|\n)[ \t]*(?:\d(?:[ \t]{0,8}\n[ \t\n]{0,8}\d){3,7}|(?=[\dA-Z ]{0,14}\d)(?=[\d ]{0,14}[A-Z])[\dA-Z](?: [\dA-Z]){4,7})[ \t]*(?=\n|$)/g
const SPELLED_SEEN = new RegExp(SPELLED.source)
const FULL_WIDTH = /[\uff01-\uff5e]/g
const FULL_WIDTH_DIGIT = /[\uff10-\uff19]/
const WEB_ADDRESS = /https?:\/\/[!-~]+|www\.[!-~]+/gi

// Arabic, Persian and Devanagari; a form takes them as the digits that they are.
const OTHER_DIGIT = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g
const OTHER_DIGIT_SEEN = new RegExp(OTHER_DIGIT.source)

function toDigit(character: string): string {
  const unit = character.charCodeAt(0)
  // The first of these rows starts at 0660, the second at 06F0, the third at 0966.
  return String(unit >= 0x0966 ? unit - 0x0966 : unit & 0xf)
}

function narrow(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) - 0xfee0)
}
