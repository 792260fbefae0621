import { removeInvisible } from '../html/html-text.ts'

/**
 * Prepares text for the search for codes. Full-width characters and digits of other scripts become ASCII, spelled codes
 * are joined, and invisible characters and web addresses, whose digits mean nothing, are removed.
 */
export function toPlainText(text: string): string {
  const visible = removeInvisible(text)
  const narrowed = FULL_WIDTH_CODE.test(visible) ? visible.replace(FULL_WIDTH, narrow) : visible
  const plain = OTHER_DIGIT_SEEN.test(narrowed) ? narrowed.replace(OTHER_DIGIT, toDigit) : narrowed
  const joined = SPELLED_SEEN.test(plain)
    ? plain.replace(SPELLED, (spelled) => `\n${spelled.replace(/\s/g, '')}`)
    : plain
  return joined.includes('://') || joined.includes('www.') ? joined.replace(WEB_ADDRESS, '…') : joined
}
// Each digit in its own box, which becomes a line, or letters and digits with spaces: at most 15 characters. No
// lookahead goes farther, because a line of spaces would be scanned again from each space.
const SPELLED =
  /(?:^|\n)[ \t]*(?:\d(?:[ \t]{0,8}\n[ \t\n]{0,8}\d){3,7}|(?=[\dA-Za-z ]{0,14}\d)(?=[\d ]{0,14}[A-Za-z])[\dA-Za-z](?: [\dA-Za-z]){4,7})[ \t]*(?=\n|$)/g
const SPELLED_SEEN = new RegExp(SPELLED.source)
const FULL_WIDTH = /[\uff01-\uff5e]/g
const FULL_WIDTH_CODE = /[\uff10-\uff19\uff21-\uff3a]/
const WEB_ADDRESS = /https?:\/\/[!-~]+|www\.[!-~]+/gi

// The zeros of scripts in which codes are written (Arabic, Persian, N'Ko, the scripts of India, Thai, Lao, Tibetan,
// Burmese, Khmer, Mongolian). Nine more digits follow each. Forms expect ASCII digits.
const ZEROS = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0de6, 0x0e50,
  0x0ed0, 0x0f20, 0x1040, 0x17e0, 0x1810,
]
const OTHER_DIGIT = new RegExp(`[${ZEROS.map((zero) => String.fromCharCode(zero, 0x2d, zero + 9)).join('')}]`, 'g')
const OTHER_DIGIT_SEEN = new RegExp(OTHER_DIGIT.source)

function toDigit(character: string): string {
  const unit = character.charCodeAt(0)
  return String(unit - (ZEROS.findLast((zero) => zero <= unit) ?? unit))
}

function narrow(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) - 0xfee0)
}
