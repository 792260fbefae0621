import { DURATION } from './code-words.ts'
import { matchesAt } from '../match-at.ts'

// A mail with more numbers is a report, and hostile mail must stay cheap.
const CANDIDATES_MAX = 100

/** Text in the shape of a code, and its position. */
export type Candidate = { value: string; start: number; end: number }

/**
 * Digits (4 to 10, also in groups), letters with digits (4 to 10), groups of both, and letters alone. Groups of digits
 * are joined. The dash of `ABC-123` stays, because some forms require it and the others ignore it.
 */
export function findCandidates(text: string): Candidate[] {
  const found: Candidate[] = []
  let position = 0
  while (found.length < CANDIDATES_MAX) {
    DIGIT.lastIndex = position
    if (!DIGIT.test(text)) break
    const digitEnd = DIGIT.lastIndex
    // Starts at the digit and goes backwards, because most words of a mail have no digit.
    const start = wordStart(text, position, digitEnd - 1)
    const phraseEnd = matchesAt(PHRASE, text, start) ? PHRASE.lastIndex : start
    position = Math.max(phraseEnd, digitEnd)
    if (isEmbedded(text, start, position)) continue
    for (const { value, start: offset, end } of readPhrase(text.slice(start, phraseEnd))) {
      found.push({ value, start: start + offset, end: start + end })
    }
  }
  if (CAPITALS.test(text)) addLettersOnly(text, CAPITALS_ONLY, found)
  addLettersOnly(text, SMALL_LETTERS_ONLY, found)
  addLettersOnly(text, SECRETS, found)
  return found.length > CANDIDATES_MAX ? found.slice(0, CANDIDATES_MAX) : found
}

function addLettersOnly(text: string, pattern: RegExp, found: Candidate[]): void {
  for (const { 0: match, 1: value = match, index } of text.matchAll(pattern)) {
    if (found.length >= CANDIDATES_MAX) break
    const end = index + match.length
    found.push({ value, start: end - value.length, end })
  }
}

// Most mail has no three capitals in a row, and this check is much cheaper than the full pattern.
const CAPITALS = /[A-Z]{3}/
const CAPITALS_ONLY = /(?<![\p{L}\p{N}_-])(?:[A-Z]{4,10}|[A-Z]{3,6}(?:-[A-Z]{3,6}){1,3})(?![\p{L}\p{N}_-])/gu

// Lower-case letters look like any word, so only the rest of a line after a colon counts.
const SMALL_LETTERS_ONLY =
  /[:：]\s{1,4}["'“*_]{0,2}([a-z]{6,8}|[a-z]{3,6}(?:-[a-z]{3,6}){1,3})(?=["'”*_.]{0,2}[ \t\r]{0,2}(?:\n|$))/g

// Generated passwords with symbols or mixed case: the rest of a line after a colon. Without full stops and slashes,
// which file and host names have.
const SECRETS =
  /[:：]\s{0,4}((?=[!-~]{0,15}\d)(?=[!-~]{0,15}[A-Za-z])(?=[A-Za-z\d]{0,15}[!#-+=?@^_~-])(?=[!-~]{0,15}[a-z])[!#-+=?@^_~A-Za-z\d-]{6,16})(?=[ \t\r]{0,2}(?:\n|$))/g

/** Whether letters alone may be a word. Words have vowels, and random codes have few. */
export function isWordLike(letters: string): boolean {
  const vowels = letters.replace(/[^AEIOUY]/gi, '').length
  return vowels > 1 && vowels * 5 > letters.length
}

const DIGIT = /\d/g
// A word with a digit and the numbers joined to it. Only the whole phrase shows whether it is a code, a date, an amount
// or a phone number.
const JOINT = `(?:[ \\u00a0\\u2009\\u202f–./,:]|(?<=\\(\\+?\\d{1,5})\\)[ -]?)(?!${DURATION})`
const PHRASE = new RegExp(
  `(?:(?:[A-Z]{1,6}-){1,3}|[a-z]{3,5}-)?[A-Za-z]*\\d[A-Za-z\\d]*(?:-[A-Z\\d]+(?![A-Za-z\\d])|-[a-z\\d]{3,5}(?![A-Za-z\\d])|${JOINT}\\d+(?![A-Za-z\\d]))*`,
  'y',
)

/** The start of the word that contains a digit, including groups of letters before it: `G-123456`, `ABC-DEF-123`. */
function wordStart(text: string, from: number, digit: number): number {
  let start = letterRunStart(text, from, digit)
  for (let groups = 0; groups < GROUPS_BEFORE_MAX && text.charCodeAt(start - 1) === DASH; groups++) {
    const groupStart = letterRunStart(text, from, start - 1)
    const group = text.slice(groupStart, start)
    if (!CAPITAL_GROUP.test(group) && (groups > 0 || !SMALL_GROUP.test(group))) break
    start = groupStart
    if (SMALL_GROUP.test(group)) break
  }
  return start
}
const DASH = 45
const GROUPS_BEFORE_MAX = 3
const CAPITAL_GROUP = /^[A-Z]{1,6}-$/
const SMALL_GROUP = /^[a-z]{3,5}-$/

function letterRunStart(text: string, from: number, end: number): number {
  let start = end
  while (start > from && isLetter(text.charCodeAt(start - 1))) start--
  return start
}

function isLetter(unit: number): boolean {
  const lower = unit | 32
  return lower >= 97 && lower <= 122
}

/** Whether it is part of an address, a file name, an international phone number, a masked card number or a style. */
function isEmbedded(text: string, start: number, end: number): boolean {
  if (matchesAt(JOINED_BEFORE, text, start) || matchesAt(JOINED_BEHIND, text, end)) return true
  return matchesAt(MASKED_BEFORE, text, start) && text.charAt(end) !== '*'
}
const JOINED_BEFORE = /(?<=[A-Za-z\d][-_./\\@&?%~]?|\+)/y
const JOINED_BEHIND = /[-_/\\@&=+~][A-Za-z\d]|\.[a-z\d]/y
const MASKED_BEFORE = /(?<=(?:[•·]|\*\*\*)\s?)/y

function readPhrase(phrase: string): Candidate[] {
  if (DIGITS.test(phrase)) return phrase.length >= 4 && phrase.length <= DIGITS_MAX ? [whole(phrase, phrase)] : []
  const branded = BRANDED.exec(phrase)?.[1]
  if (branded) return [whole(branded, phrase)]
  const labelled = LABELLED.exec(phrase)?.[1]
  if (labelled) return [{ value: labelled, start: phrase.length - labelled.length, end: phrase.length }]
  if (ALPHANUMERIC.test(phrase) || isMixedCase(phrase)) return [whole(phrase, phrase)]
  if (GROUPED.test(phrase) || SHORT_GROUP.test(phrase) || LOWER_CASE.test(phrase))
    return DATE_WITH_MONTH.test(phrase) ? [] : [whole(phrase, phrase)]
  const words = SPACE.test(phrase) ? [...phrase.matchAll(WORD)] : []
  const isSpaced = words.length > 1
  if (/[A-Za-z]/.test(phrase)) return isSpaced ? words.flatMap(readWord) : []
  const longWords = isSpaced ? words.filter((word) => word[0].length >= 5) : []
  // Dates, times, amounts, versions, phone numbers. A long number that a space separates from them counts by itself.
  if (/[.,:/)]/.test(phrase)) return phrase.includes(')') ? [] : longWords.flatMap(readWord)

  const groups = phrase.split(/\D/)
  const digits = groups.join('')
  const [first = ''] = groups
  if (groups.every((group) => group.length >= 6)) return isSpaced ? words.flatMap(readWord) : []
  if (digits.length > DIGITS_MAX) return []
  const isEven = groups.every((group) => group.length === first.length)
  // Two years are a period, and two digits, a dash and two digits are a range or a score.
  const isGrouped =
    isEven &&
    digits.length >= 4 &&
    (isSpaced ? !phrase.includes('-') : first.length >= 3 || isPairs(phrase) || isSpelled(groups))
  if (isGrouped) return groups.every(isYear) ? [] : [whole(digits, phrase)]
  // Next to another number only a long one can be a code: "123456 2 attempts left".
  return longWords.flatMap(readWord)
}

function readWord(word: RegExpExecArray): Candidate[] {
  return readPhrase(word[0]).map(({ value, start, end }) => ({
    value,
    start: word.index + start,
    end: word.index + end,
  }))
}

// Longer numbers are accounts, parcels and phone numbers.
const DIGITS_MAX = 10
// One or two letters before a dash name the sender (G-123456). Its form expects only the digits.
const BRANDED = /^[A-Z]{1,2}-(\d{4,8})$/
const LABELLED = /^(?:otp|pin|tan|code|OTP|PIN|TAN|CODE)-(\d{4,10})$/
const DIGITS = /^\d+$/
const ALPHANUMERIC = /^(?=\d*[A-Z])(?=[A-Z]*\d)[A-Z\d]{4,10}$/
const GROUPED = /^(?=[\d-]*[A-Z])(?:[A-Z\d]{3,6}-[A-Z\d]{3,6}|[A-Z\d]{2,6}(?:-[A-Z\d]{2,6}){2,3})$/
// A short group needs a letter next to a digit, unlike the number of a room or a model: `H4RT-9W`.
const SHORT_GROUP = /^(?=[A-Z\d-]*(?:\d[A-Z]|[A-Z]\d))(?:[A-Z\d]{4,6}-[A-Z\d]{2}|[A-Z\d]{2}-[A-Z\d]{4,6})$/
const DATE_WITH_MONTH = /^\d{1,2}-[A-Z]{3}-\d{2,4}$/
// Not a word followed by a number, as in names of users and machines, and not a hexadecimal constant.
const LOWER_CASE =
  /^(?![a-z]+-?\d+$|0x)(?:(?=\d*[a-z])(?=[a-z]*\d)[a-z\d]{5,10}|(?=[\d-]*[a-z])(?=[a-z-]*\d)[a-z\d]{3,5}(?:-[a-z\d]{3,5}){1,3})$/

function isMixedCase(phrase: string): boolean {
  return (
    /^[A-Za-z\d]{5,10}$/.test(phrase) && /[a-z]/.test(phrase) && /[A-Z]/.test(phrase) && !/^[A-Za-z]+\d+$/.test(phrase)
  )
}

/** "4-8-2-9-1-3" */
function isSpelled(groups: string[]): boolean {
  return groups.length >= 5 && groups.every((group) => group.length === 1)
}

const SPACE = /[ \u00a0\u2009\u202f]/
const WORD = /[^ \u00a0\u2009\u202f]+/g

function isPairs(written: string): boolean {
  return /^\d\d-\d\d-\d\d$/.test(written)
}

/** Three pairs with dashes. The first two can be a day and a month in either order. */
export function isShortDate(written: string): boolean {
  if (!isPairs(written)) return false
  const [first = 0, second = 0] = written.split('-').map(Number)
  return first > 0 && second > 0 && Math.min(first, second) <= 12 && Math.max(first, second) <= 31
}

export function isYear(digits: string): boolean {
  return /^(?:19|20)\d\d$/.test(digits)
}

function whole(value: string, phrase: string): Candidate {
  return { value, start: 0, end: phrase.length }
}
