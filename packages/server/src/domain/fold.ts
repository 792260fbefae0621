import { breakRuns, nextCut } from './combining-runs.ts'
import { cutText } from './cut-text.ts'

/**
 * Folded text may be this many times as long as the text. Ordinary text keeps its length, but U+FDFA becomes 18
 * characters, and a mail of nothing else would fill the database. Longer text is cut, so a search does not find its
 * end.
 */
const GROWTH_MAX = 2

/** Short text may grow more. The longest filter has 1,000 characters, and a filter must not be cut. */
export const FOLDED_LENGTH_FREE = 20_000

/** How much is normalised at a time, so that text that grows too much is cut early. */
const STEP_LENGTH = 65_536

/**
 * The form in which text is compared: NFKC, lower case, no NUL, no lone surrogates, bounded in length. Both databases
 * store and search this form, so that they cannot disagree about case. Folding takes linear time, because long runs of
 * combining characters are normalised in pieces (`breakRuns`).
 */
export function fold(text: string): string {
  // In ASCII text, which most addresses and many messages are, only capital letters change.
  if (!OTHER_THAN_ASCII.test(text)) return text.toLowerCase()
  const clean = text.replaceAll('\0', '').toWellFormed()
  const lengthMax = Math.max(FOLDED_LENGTH_FREE, GROWTH_MAX * clean.length)
  const broken = breakRuns(clean)
  const normalised = normalise(broken, lengthMax)
  const whole = broken === clean ? normalised : normalised.replaceAll('\0', '')
  return cutText(whole.toLowerCase(), lengthMax)
}

// Includes NUL, because it is removed.
const OTHER_THAN_ASCII = /[\0\u0080-\uffff]/

/** Normalises in steps that end where no characters combine, so that the result is the same as for the whole text. */
function normalise(text: string, lengthMax: number): string {
  if (text.length <= STEP_LENGTH) return text.normalize('NFKC')
  let normalised = ''
  for (let start = 0; start < text.length && normalised.length <= lengthMax;) {
    const end = nextCut(text, start + STEP_LENGTH)
    normalised += text.slice(start, end).normalize('NFKC')
    start = end
  }
  return normalised
}

/** Header names are ASCII (RFC 5322, 2.2). Other characters do not change. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
