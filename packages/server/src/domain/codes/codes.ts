import type { Code } from '@mailhatch/sdk'
import { findCandidates } from './code-candidates.ts'
import { type Place, placeOf } from './code-place.ts'
import { readSubject, scoreOf } from './code-score.ts'
import { toPlainText } from './code-text.ts'
import { cutText } from '../cut-text.ts'
import { collapseSpace, htmlToText } from '../html/html-text.ts'

// A code is near the top of a mail. Longer texts are newsletters and logs.
export const CODE_SCAN_LENGTH_MAX = 64 * 1024
// Markup is several times as long as its text.
export const HTML_SCAN_LENGTH_MAX = 4 * CODE_SCAN_LENGTH_MAX
const CODES_MAX = 5
const CONTEXT_LENGTH_MAX = 120

// If a text was cut, a number this close to its end may be incomplete. No code is longer, in any notation.
const CUT_MARGIN = 40

const CONFIDENCE_MIN = 0.5
// A candidate that is this much worse than the best is noise.
const CONFIDENCE_GAP_MAX = 0.35

/** `isCut`: the mail has more text than this. */
type Content = { subject: string; text: string | null; html: string | null; isCut?: boolean }

/** The one-time codes of a mail, the most likely first. Empty if nothing looks enough like a code. */
export function findCodes({ subject, text, html, isCut = false }: Content): Code[] {
  const inSubject = weighAll(subject, { subject: null, isCut: false })
  const inText = text ? weighAll(text, { subject, isCut }) : []
  // The plain text of much mail only says that there is an HTML part.
  const inBody = inText.length > 0 || !html ? inText : weighHtml(html, { subject, isCut })
  return rank(inSubject.concat(inBody))
}

function weighHtml(html: string, { subject, isCut }: { subject: string; isCut: boolean }): Code[] {
  const scanned = cutText(html, HTML_SCAN_LENGTH_MAX)
  return weighAll(htmlToText(scanned), { subject, isCut: isCut || scanned.length < html.length })
}

function rank(codes: Code[]): Code[] {
  const ranked: Code[] = []
  for (const code of codes) {
    const known = ranked.find(({ value }) => value === code.value)
    if (!known) ranked.push(code)
    else if (known.confidence < code.confidence) ranked[ranked.indexOf(known)] = code
  }
  if (ranked.length < 2) return ranked
  ranked.sort((a, b) => b.confidence - a.confidence)
  const least = (ranked[0]?.confidence ?? 0) - CONFIDENCE_GAP_MAX
  return ranked.filter((code) => code.confidence >= least).slice(0, CODES_MAX)
}

function weighAll(raw: string, { subject, isCut }: { subject: string | null; isCut: boolean }): Code[] {
  const text = toPlainText(cutText(raw, CODE_SCAN_LENGTH_MAX))
  const endMax = isCut || raw.length > CODE_SCAN_LENGTH_MAX ? text.length - CUT_MARGIN : text.length
  const candidates = findCandidates(text).filter(({ end }) => end <= endMax)
  if (candidates.length === 0) return []
  const said = readSubject(subject ?? '')
  const isOnly = candidates.length === 1
  const codes: Code[] = []
  for (const candidate of candidates) {
    const { value } = candidate
    const place = placeOf(text, candidate)
    let score = scoreOf(value, place, said)
    if (isOnly && said.namesCode) score += ONLY_SCORE
    if (isOnly && subject === '' && isWhole(text, place)) score += WHOLE_SCORE
    const confidence = Math.min(100, Math.round(score * 100)) / 100
    if (confidence >= CONFIDENCE_MIN) codes.push({ value, confidence, context: contextOf(place) })
  }
  return codes
}

/** For the only number of a mail whose subject mentions a code. */
const ONLY_SCORE = 0.1
/** For a number that is the whole mail, which cannot be about anything else. */
const WHOLE_SCORE = 0.2

function isWhole(text: string, { written, isAlone }: Place): boolean {
  return (
    isAlone &&
    text.length < 2 * CONTEXT_LENGTH_MAX &&
    text.replace(DECORATIONS, '') === written.replace(DECORATIONS, '')
  )
}
const DECORATIONS = /[\s*_=|>:.'"“”„«»[\]()「」【】-]+/g

/** The line of the code. If the code is alone, also the line above, or else the line below. */
function contextOf({ before, written, behind, lineBefore, lineBehind, isAlone }: Place): string {
  const above = isAlone ? before.trimEnd() : ''
  const left = isAlone ? `${above.slice(above.lastIndexOf('\n') + 1)} ` : lineBefore
  const right = isAlone ? (above ? '' : ` ${behind.trimStart().split('\n', 1)[0]}`) : lineBehind
  const room = CONTEXT_LENGTH_MAX - written.length
  // Each side gets half, and the left side also gets what the right one does not use.
  const leftLength = Math.max(room >> 1, room - right.length)
  const leftStart = Math.max(0, left.length - leftLength)
  // A cut may split a surrogate pair.
  const lead = left.slice(isLowSurrogate(left.charCodeAt(leftStart)) ? leftStart + 1 : leftStart)
  return collapseSpace(cutText(lead + written + right, CONTEXT_LENGTH_MAX)).trim()
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
