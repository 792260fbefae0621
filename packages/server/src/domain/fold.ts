import { breakRuns, nextCut } from './combining-runs.ts'
import { cutText } from './cut-text.ts'

/**
 * Folded text may be this many times as long as the text. Ordinary text keeps its length; U+FDFA becomes 18 characters,
 * and a mail of nothing else would fill the database. What is longer is cut, so its end is not found by a search.
 */
const GROWTH_MAX = 2

/** A short text may grow as it likes: the longest filter, 1,000 characters, stays whole and finds only what it says. */
export const FOLDED_LENGTH_FREE = 20_000

/** Normalised at a time, so that a text that grows is given up before it has grown. */
const STEP_LENGTH = 65_536

/**
 * The form in which text is compared: NFKC, lower case, no NUL, no lone surrogates, bounded in length.
 * Both databases store and search this form, so that they cannot disagree about case. The time it takes is proportional
 * to the length of the text: long runs of combining characters are normalised piece by piece (`breakRuns`).
 */
export function fold(text: string): string {
  // Nothing but its capitals can change in ASCII text, which is what most addresses and many mails are.
  if (!OTHER_THAN_ASCII.test(text)) return text.toLowerCase()
  const clean = text.replaceAll('\0', '').toWellFormed()
  const lengthMax = Math.max(FOLDED_LENGTH_FREE, GROWTH_MAX * clean.length)
  const broken = breakRuns(clean)
  const normalised = normalise(broken, lengthMax)
  const whole = broken === clean ? normalised : normalised.replaceAll('\0', '')
  return cutText(whole.toLowerCase(), lengthMax)
}

// NUL too, because it has to go.
const OTHER_THAN_ASCII = /[\0\u0080-\uffff]/

/** Steps end where nothing joins what precedes it, so that the result is that of the whole text. */
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

/** Header names are ASCII (RFC 5322, 2.2); other characters are left as they are. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
