import { isShortDate, isWordLike, isYear } from './code-candidates.ts'
import {
  distances,
  type Distances,
  labelLine,
  lower,
  NEARBY,
  NOTHING_NEAR,
  type Place,
  sentenceOf,
  startsSentence,
} from './code-place.ts'
import { UNSPACED } from './code-vocabulary.ts'
import * as words from './code-words.ts'
import { matchesAt } from '../match-at.ts'

// A word within this distance belongs to the number.
const CLOSE = 30
const NEAR = 70
// A name at a greater distance belongs to another number.
const NAMED_WITHIN = 60

/** What each reason adds to the confidence. From `CONFIDENCE_MIN` (0.5) on, a candidate is a code. */
const WEIGHT = {
  never: -1,
  alone: 0.15,
  codeClose: 0.45,
  codeNear: 0.3,
  codeFar: 0.1,
  codeFarAbove: 0.15,
  subjectNamesCode: 0.1,
  subjectNamesCodeAlone: 0.25,
  proof: 0.05,
  proofAlone: 0.2,
  assigned: 0.1,
  saidBehind: 0.2,
  pointedAt: 0.3,
  toldToUse: 0.3,
  toldToUseForAny: 0.2,
  otherNear: -0.5,
  hash: -0.4,
  timeOfDay: -0.5,
  offer: -0.5,
  town: -0.3,
  repeatedDigit: -0.2,
  longWithoutLabel: -0.5,
  year: -0.2,
  date: -0.3,
} as const

/** What the subject says about the mail. */
export type Subject = { namesCode: boolean; isOffer: boolean }

export function readSubject(raw: string): Subject {
  const subject = lower(raw.slice(0, NEARBY))
  return {
    namesCode: distances(subject, 'behind', { isAlone: true }).code < Infinity,
    isOffer: words.OFFER_WORDS.test(subject),
  }
}

/** How much a candidate looks like a one-time code, by its shape and by the text around it. */
export function scoreOf(value: string, place: Place, subject: Subject): number {
  return shapeScore(value, place.written) + placeScore(value, place, subject)
}

// Nine and ten digits are mostly phone and account numbers, so the text around them decides.
const DIGITS_SCORE: Record<number, number> = { 4: 0.2, 5: 0.25, 6: 0.35, 7: 0.25, 8: 0.3, 9: 0.1, 10: 0.1 }

function shapeScore(value: string, written: string): number {
  if (isShortDate(written)) return 0
  if (!/^\d+$/.test(value)) return lettersScore(value)
  let score = DIGITS_SCORE[value.length] ?? 0
  if (value.length === 4 && isYear(value)) score += WEIGHT.year
  if (value.length === 8 && DATE.test(value)) score += WEIGHT.date
  return score
}

const DATE = /^20[0-4]\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/

function lettersScore(value: string): number {
  // Without digits, or in lower case, only the text around it can make it a code.
  if (/[a-z]/.test(value) || !/\d/.test(value)) return 0
  // A word followed by a number is more likely a name: SAVE20, RTX4090, COVID19.
  if (/^[A-Z]+-?\d+$/.test(value)) return value.length > 4 ? 0.15 : 0
  return value.length > 4 ? 0.3 : 0.05
}

function placeScore(value: string, place: Place, subject: Subject): number {
  const before = lower(place.before)
  if (isExcluded(place, before)) return WEIGHT.never

  const nearest = distances(before, 'before', place)
  const isLabelled = Math.min(nearest.code, nearest.password, nearest.proof) < Infinity
  const isAssigned = isLabelled && matchesAt(words.ASSIGNED, before, before.length)
  const above = withPassword(nearest, before, isAssigned)
  // After a code word directly before the number, as in most mail, only a unit after it matters.
  const isClose = above.code <= CLOSE
  const behind = isClose && UNITLESS.test(place.behind) ? '' : lower(place.behind)
  if (words.UNIT_BEHIND.test(behind)) return WEIGHT.never
  const below = isClose
    ? NOTHING_NEAR
    : distances(behind, 'behind', { isAlone: place.isAlone, startsSentence: startsSentence(before) })
  const hasDigit = /\d/.test(value)
  const saidBehind = hasDigit ? words.SAID_BEHIND : words.LETTERS_SAID_BEHIND
  const isSaidBehind = Math.min(below.code, below.password) <= NEAR && saidBehind.test(behind)
  // "MOB-20417 Login code is wrong": the text after an issue key is its title.
  const isTitle = ISSUE_KEY.test(value) && !isSaidBehind
  const code = Math.min(above.code, isTitle ? Infinity : below.code, isSaidBehind ? below.password : Infinity)
  const proof = Math.min(above.proof, below.proof)
  if (above.name <= Math.min(code, NAMED_WITHIN)) return WEIGHT.never
  if (
    !hasDigit &&
    !isSaidOutright(value, place, { isAssigned: isClose && (isAssigned || isUnderLabel(place)), isSaidBehind })
  )
    return WEIGHT.never

  // "Your code for the payment of … with the card … is 123456."
  const isSubject = isAssigned && above.code > NEAR && above.code <= NEARBY && above.code <= sentenceOf(before).length
  let score = place.isAlone ? WEIGHT.alone : 0
  if (code <= CLOSE) score += WEIGHT.codeClose
  else if (code <= NEAR || isSubject) score += WEIGHT.codeNear
  else if (code <= NEARBY) score += place.isAlone ? WEIGHT.codeFarAbove : WEIGHT.codeFar
  else if (subject.namesCode) score += place.isAlone ? WEIGHT.subjectNamesCodeAlone : WEIGHT.subjectNamesCode
  else if (proof <= 80) score += place.isAlone ? WEIGHT.proofAlone : WEIGHT.proof
  if (isSubject || (isAssigned && Math.min(above.code, above.proof) <= NAMED_WITHIN)) score += WEIGHT.assigned
  else if (above.code <= 1 && (hasDigit || isTold(value, behind))) score += WEIGHT.assigned
  else if (!hasDigit && place.isAlone && words.findWords(lower(labelLine(place))).some(({ kind }) => kind === 'code'))
    score += WEIGHT.assigned
  if (isSaidBehind) score += WEIGHT.saidBehind
  if (code > CLOSE && above.code < Infinity && matchesAt(words.POINTED_AT, before, before.length))
    score += WEIGHT.pointedAt
  // Letters to be used for another purpose are a voucher.
  if (code > CLOSE) score += purposeScore(before, behind, { proof, below, isNumber: /^\d+$/.test(value) })
  // "To delete your account, enter 123456": the words before the verb do not describe the number.
  const other = words.isToldToUse(before) ? Infinity : above.other
  return score + doubts(value, place, { before, code, other, isOffer: subject.isOffer })
}

/** "Use 123456 to sign in", "123456 to confirm" */
function purposeScore(
  before: string,
  behind: string,
  near: { proof: number; below: Distances; isNumber: boolean },
): number {
  const isTold = words.isToldToUse(before) || words.USED_BEHIND.test(behind)
  const isForProof = near.below.proof <= NAMED_WITHIN && words.PURPOSE_BEHIND.test(behind)
  if (isForProof || (isTold && Math.min(near.proof, near.below.password) < Infinity)) return WEIGHT.toldToUse
  return isTold && near.isNumber ? WEIGHT.toldToUseForAny : 0
}

/** "The code KQZWBF to sign in": letters followed by nothing but their purpose. */
function isTold(value: string, behind: string): boolean {
  return value.length >= 6 && (ENDS_BEHIND.test(behind) || words.PURPOSE_BEHIND.test(behind))
}

/** Amounts, ends of card numbers and mail headers. */
function isExcluded(place: Place, before: string): boolean {
  return (
    matchesAt(words.CURRENCY_BEFORE, before, before.length) ||
    matchesAt(words.ENDING_BEFORE, before, before.length) ||
    (place.lineBefore.includes(':') && words.HEADER_LINE.test(lower(place.lineBefore)))
  )
}

/** A password counts as a code if the number follows it, without another word in between that may own the number. */
function withPassword(above: Distances, before: string, isAssigned: boolean): Distances {
  if (above.password > NAMED_WITHIN) return above
  const isNext = above.password <= before.length - before.trimEnd().length
  const isMeant = isAssigned && (above.other > above.password || matchesAt(words.SAID, before, before.length))
  return isNext || isMeant ? { ...above, code: Math.min(above.code, above.password) } : above
}

/** "Your code: KQZWAE", but not "YOUR CODE: EXPIRED" and not the first word of a sentence. */
function isSaidOutright(value: string, place: Place, said: { isAssigned: boolean; isSaidBehind: boolean }): boolean {
  if (!isWordLike(value)) return true
  if (!said.isAssigned && !said.isSaidBehind) return false
  if (/[a-z]/.test(value) || words.NEVER_A_CODE.test(value)) return false
  return (said.isSaidBehind || ENDS_BEHIND.test(place.behind)) && /[\p{Ll}\p{Lo}]/u.test(labelLine(place))
}
const ENDS_BEHIND = /^[*_"'”»\])】」]*\s*(?:[.,;!。，、！]|です|입니다|है|\n|$)/

/** Alone under a line in a script without capitals, where a heading in capitals is unlikely. */
function isUnderLabel(place: Place): boolean {
  return place.isAlone && UNSPACED.test(labelLine(place))
}

/** Reasons against a candidate, independent of the reasons for it. */
function doubts(
  value: string,
  place: Place,
  near: { before: string; code: number; other: number; isOffer: boolean },
): number {
  const { before, code } = near
  let score = 0
  if (near.other <= NAMED_WITHIN && code > 90) score += WEIGHT.otherNear
  // Placeholders, unless the mail calls it the code: test systems send such codes.
  if (code > CLOSE && /^(\d)\1+$/.test(value)) score += WEIGHT.repeatedDigit
  if (code > CLOSE && /^\d{9,}$/.test(value)) score += WEIGHT.longWithoutLabel
  if (matchesAt(words.HASH_BEFORE, before, before.length)) score += WEIGHT.hash
  if (value.length === 4 && HOUR_AND_MINUTE.test(value) && matchesAt(words.TIME_BEFORE, before, before.length))
    score += WEIGHT.timeOfDay
  if (/[A-Z]/.test(value) && (near.isOffer || words.OFFER_WORDS.test(lower(labelLine(place))))) score += WEIGHT.offer
  if (
    value.length === 5 &&
    (/(?<![A-Z])[A-Z]{2} $/.test(place.before) || POSTAL_CODE_BEFORE_TOWN.test(place.lineBehind))
  )
    score += WEIGHT.town
  return score
}

const ISSUE_KEY = /^[A-Z]{2,6}-\d+$/
/** A number directly followed by punctuation has no unit. */
const UNITLESS = /^[.,;:!?)\r\n]/
const HOUR_AND_MINUTE = /^(?:[01]\d|2[0-3])[0-5]\d$/
const POSTAL_CODE_BEFORE_TOWN = /^ \p{Lu}\p{Ll}+\s*(?:[,|·]|$)/u
