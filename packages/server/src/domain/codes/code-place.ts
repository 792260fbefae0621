import type { Candidate } from './code-candidates.ts'
import * as words from './code-words.ts'

/** How far from a number words count. Most sentences are shorter. */
export const NEARBY = 120
// Added to the distance of a word, unless the code has its own line.
const LINE_DISTANCE = 25
const SENTENCE_DISTANCE = 75

/** The text around a candidate. */
export type Place = {
  before: string
  written: string
  behind: string
  lineBefore: string
  lineBehind: string
  /** The rest of its line is only decoration. */
  isAlone: boolean
}

export function placeOf(text: string, { start, end }: Candidate): Place {
  const before = text.slice(Math.max(0, start - NEARBY), start)
  const behind = text.slice(end, end + NEARBY)
  const lineBefore = before.slice(before.lastIndexOf('\n') + 1)
  const lineEnd = behind.indexOf('\n')
  const lineBehind = lineEnd === -1 ? behind : behind.slice(0, lineEnd)
  const isAlone = DECORATION.test(lineBefore) && DECORATION.test(lineBehind)
  return { before, written: text.slice(start, end), behind, lineBefore, lineBehind, isAlone }
}
const DECORATION = /^[\s*_=|>:.'"“”„«»[\]()「」【】-]*$/

/** The line with the label of the candidate: its own line, or the one above if the candidate is alone. */
export function labelLine({ before, lineBefore, lineBehind, isAlone }: Place): string {
  if (!isAlone) return `${lineBefore} ${lineBehind}`
  const text = before.trimEnd()
  return text.slice(text.lastIndexOf('\n') + 1)
}

/** The part of the sentence before the candidate. */
export function sentenceOf(before: string): string {
  let start = 0
  for (const { 0: mark, index } of before.matchAll(SENTENCE_ENDS)) start = index + mark.length
  return before.slice(start)
}
const SENTENCE_END = /[.!?]\s|[。！？]/
const SENTENCE_ENDS = /[.!?]\s|[。！？\n]/g
const SENTENCE_ENDS_SEEN = new RegExp(SENTENCE_ENDS.source)

/** Lower-casing the Turkish capital İ leaves its dot as a separate character, which is removed. */
export function lower(text: string): string {
  const lowered = text.toLowerCase()
  return DOT_ABOVE.test(lowered) ? lowered.replaceAll('i\u0307', 'i') : lowered
}

const DOT_ABOVE = /\u0307/

export type Distances = Record<words.WordKind, number>
export const NOTHING_NEAR: Distances = {
  name: Infinity,
  code: Infinity,
  password: Infinity,
  proof: Infinity,
  other: Infinity,
}

/** The distance of the nearest word of each kind from the number, which is at the end or the start of the text. */
export function distances(
  text: string,
  side: 'before' | 'behind',
  { isAlone, startsSentence = false }: { isAlone: boolean; startsSentence?: boolean },
): Distances {
  const nearest = { ...NOTHING_NEAR }
  const found = words.findWords(text)
  // Starting at the number, so that the first word of a kind is the nearest.
  if (side === 'before' && found.length > 1) found.sort((a, b) => b.end - a.end)
  for (const { kind, start, end } of found) {
    if (nearest[kind] < Infinity) continue
    // "… 123456 Code: 654321": a label belongs to what follows it.
    const gap = side === 'before' ? text.slice(end) : text.slice(0, start)
    if (side === 'behind' && isLabelOfNext(gap, text.slice(end, end + LABEL_LENGTH_MAX))) continue
    if (side === 'before' && (kind === 'code' || kind === 'password') && isChanged(gap)) continue
    const isName = kind === 'other' && side === 'before' && isLabel(gap, text.slice(0, start))
    const decided = isName ? 'name' : kind
    // "Your code for the number 0171 ••••188: 123456": the word already has its own number.
    if (decided === 'name' && side === 'before' && OWN_NUMBER.test(gap)) continue
    nearest[decided] = Math.min(nearest[decided], gap.length + (isAlone ? 0 : detour(gap, startsSentence)))
  }
  return nearest
}

/** "Code de retrait :" with a few words in between, or in its own sentence or line followed by a long number. */
function isLabelOfNext(gap: string, behind: string): boolean {
  return LABEL_END.test(behind) || (SENTENCE_ENDS_SEEN.test(gap) && NEXT_NUMBER.test(behind))
}
const LABEL_END = /^(?: [^\s\d:]+){0,3}\s?[:=#：]/
const NEXT_NUMBER = /^(?: [^\s\d:.!?]+){0,3} [a-z]{0,4}\d{4}/
const LABEL_LENGTH_MAX = 40

const OWN_NUMBER = /\d{3}[^\d\n]{0,3}(?:[:：]|(?<![a-z])(?:is|ist|lautet|est|es|é|è|är|er|to|je)(?![a-z]))\s*$/

/** "order 123456" anywhere, or "Order: 123456" at the start of a line, names the number. */
function isLabel(gap: string, lead: string): boolean {
  return /^[ #]*$/.test(gap) || (/^[\s#.:]*$/.test(gap) && /(?:^|\n)[ >]*$/.test(lead))
}

/** "Your PIN was changed at terminal 20441", but not "was changed to 4821". */
function isChanged(gap: string): boolean {
  return words.CHANGED.test(gap) && !CHANGED_TO.test(gap)
}
const CHANGED_TO = /(?:[:：=]|(?<![a-zà-ÿ])(?:to|auf|para|på|til|на))\s*$/

function detour(gap: string, startsSentence: boolean): number {
  let lines = 0
  for (let end = gap.indexOf('\n'); end !== -1; end = gap.indexOf('\n', end + 1)) lines++
  return lines * LINE_DISTANCE + (!startsSentence && SENTENCE_END.test(gap) ? SENTENCE_DISTANCE : 0)
}

/** Whether the number starts a sentence, so that the next one may describe it: "123456. This is your code." */
export function startsSentence(before: string): boolean {
  return /(?:^|[.!?:\n。！？])[^\p{L}\p{N}]*$/u.test(before)
}
