import type { Code } from '@mailhatch/sdk'
import { type Candidate, findCandidates, isShortDate, isYear } from './code-candidates.ts'
import { toPlainText } from './code-text.ts'
import * as words from './code-words.ts'
import { cutText } from './cut-text.ts'
import { collapseSpace, htmlToText } from './html-text.ts'
import { matchesAt } from './match-at.ts'

// A code stands at the top of a mail; longer texts are newsletters and logs.
export const CODE_SCAN_LENGTH_MAX = 64 * 1024
// Markup is several times as long as what it says.
export const HTML_SCAN_LENGTH_MAX = 4 * CODE_SCAN_LENGTH_MAX
const CODES_MAX = 5
const CONTEXT_LENGTH_MAX = 120
// How far words are looked for, which is longer than most sentences.
const NEARBY = 120
const CLOSE = 30
// What adds to the distance of a word, unless the code has a line for itself.
const LINE_DISTANCE = 25
const SENTENCE_DISTANCE = 75

// A name farther away than this belongs to another number.
const NAMED_WITHIN = 60

// Where a text was cut, a number this near to its end may be half of one. No code is as long, however it is written.
const CUT_MARGIN = 40

const CONFIDENCE_MIN = 0.5
// A candidate that is this much worse than the best is noise beside it.
const CONFIDENCE_GAP_MAX = 0.35

/** `isCut`: the mail has more text than is known here. */
type Content = { subject: string; text: string | null; html: string | null; isCut?: boolean }

/** The one-time codes of a mail, the likeliest first; empty when nothing in it looks enough like one. */
export function findCodes({ subject, text, html, isCut = false }: Content): Code[] {
  const inSubject = weighAll(subject, { subject: '', isCut: false })
  const inText = text ? weighAll(text, { subject, isCut }) : []
  // The plain part of many mails only says that there is an HTML part.
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

function weighAll(raw: string, { subject, isCut }: { subject: string; isCut: boolean }): Code[] {
  const text = toPlainText(cutText(raw, CODE_SCAN_LENGTH_MAX))
  const endMax = isCut || raw.length > CODE_SCAN_LENGTH_MAX ? text.length - CUT_MARGIN : text.length
  const candidates = findCandidates(text).filter(({ end }) => end <= endMax)
  if (candidates.length === 0) return []
  const subjectNamesCode = distances(lower(subject.slice(0, NEARBY)), 'behind', true).code < Infinity
  const isOnly = subjectNamesCode && candidates.length === 1
  const codes: Code[] = []
  for (const candidate of candidates) {
    const { value } = candidate
    const place = placeOf(text, candidate)
    const shape = isShortDate(place.written) ? 0 : shapeScore(value)
    const score = shape + placeScore(value, place, subjectNamesCode) + (isOnly ? ONLY_SCORE : 0)
    const confidence = Math.min(100, Math.round(score * 100)) / 100
    if (confidence >= CONFIDENCE_MIN) codes.push({ value, confidence, context: contextOf(place) })
  }
  return codes
}

type Place = {
  before: string
  written: string
  behind: string
  lineBefore: string
  lineBehind: string
  isAlone: boolean
}

function placeOf(text: string, { start, end }: Candidate): Place {
  const before = text.slice(Math.max(0, start - NEARBY), start)
  const behind = text.slice(end, end + NEARBY)
  const lineBefore = before.slice(before.lastIndexOf('\n') + 1)
  const lineEnd = behind.indexOf('\n')
  const lineBehind = lineEnd === -1 ? behind : behind.slice(0, lineEnd)
  const isAlone = DECORATION.test(lineBefore) && DECORATION.test(lineBehind)
  return { before, written: text.slice(start, end), behind, lineBefore, lineBehind, isAlone }
}
const DECORATION = /^[\s*_=|>:.'"“”„«»[\]()「」【】-]*$/

/** For the only number of a mail whose subject speaks of a code. */
const ONLY_SCORE = 0.1
const DIGITS_SCORE: Record<number, number> = { 4: 0.2, 5: 0.25, 6: 0.35, 7: 0.25, 8: 0.3 }

function shapeScore(value: string): number {
  if (!/^\d+$/.test(value)) return lettersScore(value)
  let score = DIGITS_SCORE[value.length] ?? 0
  if (value.length === 4 && isYear(value)) score -= 0.2
  if (value.length === 8 && DATE.test(value)) score -= 0.3
  // Placeholders, unless the mail says outright that this is the code.
  if (/^(\d)\1+$/.test(value)) score -= 0.35
  return score
}

const DATE = /^20[0-4]\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/

function lettersScore(value: string): number {
  // Without digits, or in small letters, only a place that leaves no doubt makes it a code.
  if (/[a-z]/.test(value) || !/\d/.test(value)) return 0
  // A word with a number behind is rather a name: SAVE20, RTX4090, COVID19.
  return /^[A-Z]+-?\d+$/.test(value) ? 0.15 : 0.3
}

function placeScore(value: string, place: Place, subjectNamesCode: boolean): number {
  const before = lower(place.before)
  if (matchesAt(words.CURRENCY_BEFORE, before, before.length)) return -1
  if (matchesAt(words.ENDING_BEFORE, before, before.length)) return -1
  if (place.lineBefore.includes(':') && words.HEADER_LINE.test(lower(place.lineBefore))) return -1

  const above = distances(before, 'before', place.isAlone)
  // Nothing behind but a unit can change what a code word directly before says, which is how most codes are written.
  const isClose = above.code <= CLOSE
  const behind = isClose && UNITLESS.test(place.behind) ? '' : lower(place.behind)
  if (words.UNIT_BEHIND.test(behind)) return -1
  const below = isClose ? NOTHING_NEAR : distances(behind, 'behind', place.isAlone)
  const code = Math.min(above.code, below.code)
  const proof = Math.min(above.proof, below.proof)
  if (above.name <= Math.min(code, NAMED_WITHIN)) return -1

  let score = place.isAlone ? 0.15 : 0
  if (code <= CLOSE) score += 0.45
  else if (code <= 70) score += 0.3
  else if (code <= NEARBY) score += place.isAlone ? 0.15 : 0.1
  else if (subjectNamesCode) score += place.isAlone ? 0.25 : 0.1
  else if (proof <= 80) score += place.isAlone ? 0.2 : 0.05
  if (Math.min(above.code, above.proof) <= 60 && matchesAt(words.ASSIGNED, before, before.length)) score += 0.1
  if (code > CLOSE && above.code < Infinity && matchesAt(words.POINTED_AT, before, before.length)) score += 0.3
  if (code > CLOSE) {
    const isToldToUse = proof < Infinity && matchesAt(words.TOLD_TO_USE, before, before.length)
    const isForProof = below.proof <= NAMED_WITHIN && words.PURPOSE_BEHIND.test(behind)
    if (isToldToUse || isForProof) score += 0.3
  }

  if (above.other <= 60 && code > 90) score -= 0.5
  if (matchesAt(words.HASH_BEFORE, before, before.length)) score -= 0.4
  if (value.length === 4 && HOUR_AND_MINUTE.test(value) && matchesAt(words.TIME_BEFORE, before, before.length))
    score -= 0.5
  if (/[A-Z]/.test(value) && words.OFFER_WORDS.test(place.isAlone ? lastLine(before) : lineOf(place))) score -= 0.5
  if (
    value.length === 5 &&
    (/(?<![A-Z])[A-Z]{2} $/.test(place.before) || POSTAL_CODE_BEFORE_TOWN.test(place.lineBehind))
  )
    score -= 0.3
  return score
}

/** A mark directly behind a number leaves no room for a unit. */
const UNITLESS = /^[.,;:!?)\r\n]/

/** The dot of a Turkish capital would be left behind as a character of its own. */
function lower(text: string): string {
  const lowered = text.toLowerCase()
  return DOT_ABOVE.test(lowered) ? lowered.replaceAll('i\u0307', 'i') : lowered
}

const DOT_ABOVE = /\u0307/

/** The line above a number that stands alone. */
function lastLine(before: string): string {
  const text = before.trimEnd()
  return text.slice(text.lastIndexOf('\n') + 1)
}

function lineOf({ lineBefore, lineBehind }: Place): string {
  return lower(`${lineBefore} ${lineBehind}`)
}
const HOUR_AND_MINUTE = /^(?:[01]\d|2[0-3])[0-5]\d$/
const POSTAL_CODE_BEFORE_TOWN = /^ \p{Lu}\p{Ll}+\s*(?:[,|·]|$)/u

type Distances = Record<words.WordKind, number>
const NOTHING_NEAR: Distances = { name: Infinity, code: Infinity, proof: Infinity, other: Infinity }

/** How far the nearest word of each kind stands from the end of what is before a number, or the start of what is behind. */
function distances(text: string, side: 'before' | 'behind', isAlone: boolean): Distances {
  const nearest = { ...NOTHING_NEAR }
  for (const { kind, start, end } of words.findWords(text)) {
    // "… 123456 Code: 654321": a label belongs to what follows it.
    if (side === 'behind' && (start >= nearest[kind] || LABEL_END.test(text.slice(end, end + LABEL_LENGTH_MAX))))
      continue
    const gap = side === 'before' ? text.slice(end) : text.slice(0, start)
    const isName = kind === 'other' && side === 'before' && isLabel(gap, text.slice(0, start))
    const decided = isName ? 'name' : kind
    nearest[decided] = Math.min(nearest[decided], gap.length + (isAlone ? 0 : detour(gap, side)))
  }
  return nearest
}
// Also "Code de retrait :", with a few words to it.
const LABEL_END = /^(?: [^\s\d:]+){0,3}\s?[:=#：]/
const LABEL_LENGTH_MAX = 40

/** "order 123456" anywhere, or "Order: 123456" where a line starts with it, names the number. */
function isLabel(gap: string, lead: string): boolean {
  return /^[ #]*$/.test(gap) || (/^[\s#.:]*$/.test(gap) && /(?:^|\n)[ >]*$/.test(lead))
}

function detour(gap: string, side: 'before' | 'behind'): number {
  let lines = 0
  for (let end = gap.indexOf('\n'); end !== -1; end = gap.indexOf('\n', end + 1)) lines++
  return lines * LINE_DISTANCE + (side === 'before' && /[.!?]\s|[。！？]/.test(gap) ? SENTENCE_DISTANCE : 0)
}

/** The line of the code; the one above it, or else the one below, where it stands alone. */
function contextOf({ before, written, behind, lineBefore, lineBehind, isAlone }: Place): string {
  const above = isAlone ? before.trimEnd() : ''
  const left = isAlone ? `${above.slice(above.lastIndexOf('\n') + 1)} ` : lineBefore
  const right = isAlone ? (above ? '' : ` ${behind.trimStart().split('\n', 1)[0]}`) : lineBehind
  const room = CONTEXT_LENGTH_MAX - written.length
  // Both sides get half, and what the right one leaves goes to the left.
  const leftLength = Math.max(room >> 1, room - right.length)
  const leftStart = Math.max(0, left.length - leftLength)
  // A cut may split a surrogate pair.
  const lead = left.slice(isLowSurrogate(left.charCodeAt(leftStart)) ? leftStart + 1 : leftStart)
  return collapseSpace(cutText(lead + written + right, CONTEXT_LENGTH_MAX)).trim()
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
