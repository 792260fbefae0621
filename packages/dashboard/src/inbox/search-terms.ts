import type { Inputs } from '../api/trpc.ts'
import { getPreference } from '../preferences.ts'
import { serverNow } from '../server-time.ts'
import { parseSize, parseTime, type Clock } from './search-values.ts'

/** Filter names, as in `from:shop`. */
export const TERM_NAMES = [
  'from',
  'to',
  'subject',
  'text',
  'mailbox',
  'tag',
  'header',
  'has',
  'is',
  'before',
  'after',
  'larger',
  'smaller',
  'since',
  'start',
  'end',
] as const

type TermName = (typeof TERM_NAMES)[number]

/** `q` is text without a name, which searches everywhere. `unknown` looks like a term but has no known name. */
export type Term = { name: TermName | 'q' | 'unknown'; value: string; isNot?: true }

export type Filter = Exclude<Inputs['inbox']['messages']['count'], void>
type PlainFilter = Omit<Filter, 'without'>

const TERM = /(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gi

/** Parses `from:shop -tag:login "your code"`. All words without a name form one `q` term; excluded ones are apart. */
export function parseSearch(text: string): Term[] {
  const terms: Term[] = []
  const freeWords: string[] = []
  for (const [whole, minus, name, quoted, bare] of text.matchAll(TERM)) {
    const value = (quoted ?? bare ?? '').trim()
    const word = name?.toLowerCase()
    const isNot = minus === '-' ? { isNot: true as const } : {}
    const written = minus === '-' ? whole.slice(1) : whole
    if (isTermName(word)) {
      if (value !== '') terms.push({ name: word, value, ...isNot })
    } else if (name !== undefined && !value.startsWith('//')) terms.push({ name: 'unknown', value: written, ...isNot })
    else if (minus === '-' && value !== '')
      terms.push({ name: 'q', value: name === undefined ? value : written, ...isNot })
    else freeWords.push(quoted === undefined || name !== undefined ? whole : quoted)
  }
  const free = freeWords.join(' ').trim()
  return free === '' ? terms : [...terms, { name: 'q', value: free }]
}

export function formatSearch(terms: Term[]): string {
  return terms.map(formatTerm).join(' ')
}

export function formatTerm(term: Term): string {
  return `${term.isNot ? '-' : ''}${writtenTerm(term)}`
}

function writtenTerm({ name, value, isNot }: Term): string {
  if (name === 'unknown') return value
  // Without quotes, these would be parsed as something else.
  const isAmbiguous = isNot ? /\s|[a-z]+:/i : /(?:^|\s)-|[a-z]+:/i
  if (name === 'q') return isAmbiguous.test(value) ? `"${value}"` : value
  return `${name}:${/\s/.test(value) ? `"${value}"` : value}`
}

const VALUES: Partial<Record<TermName, Record<string, PlainFilter>>> = {
  has: {
    attachment: { hasAttachment: true },
    attachments: { hasAttachment: true },
    code: { hasCode: true },
    codes: { hasCode: true },
  },
  is: { unread: { isUnread: true } },
}

/** Why the term is not understood; null if it is. Terms with a problem are searched as text. */
export function problemOf(term: Term, clock: Clock = currentClock()): string | null {
  const { name, value } = term
  if (name === 'unknown') return `${value.slice(0, value.indexOf(':'))}: is not a search word.`
  const values = name === 'q' ? undefined : VALUES[name]
  if (values && !Object.hasOwn(values, value.toLowerCase()))
    return `${name}: can be ${TAKES[name as keyof typeof TAKES]}.`
  if ((name === 'before' || name === 'after') && parseTime(value, clock) === null)
    return `${name}: needs a day such as 2026-01-31, today, or a time span such as 2h.`
  if ((name === 'larger' || name === 'smaller') && parseSize(value) === null)
    return `${name}: needs a size such as 500k or 2mb.`
  return null
}

const TAKES = { has: 'attachment or code', is: 'unread' }

/** The filter to send. Several tags mean any of them; of most other names, the last one counts. */
export function filterOf(terms: Term[], clock: Clock = currentClock()): Filter {
  const without = terms
    .filter(({ isNot }) => isNot)
    .map((term) => plainFilter([term], clock))
    .filter((filter) => Object.keys(filter).length > 0)
  const wanted = terms.filter(({ isNot }) => !isNot)
  return { ...plainFilter(wanted, clock), ...(without.length > 0 && { without }) }
}

function plainFilter(terms: Term[], clock: Clock): PlainFilter {
  const filter: PlainFilter = {}
  const texts: string[] = []
  for (const term of terms) {
    const { name, value } = term
    if (name === 'q' || name === 'unknown') texts.push(value)
    else if (problemOf(term, clock) !== null) texts.push(writtenTerm(term))
    else if (name === 'tag') filter.tags = [...(filter.tags ?? []), value]
    else if (name === 'before') filter.before = isoTime(value, clock)
    else if (name === 'after') filter.since = isoTime(value, clock)
    else if (name === 'larger') filter.largerThan = parseSize(value)!
    else if (name === 'smaller') filter.smallerThan = parseSize(value)!
    else if (name === 'has' || name === 'is') Object.assign(filter, VALUES[name]![value.toLowerCase()])
    else filter[name] = value
  }
  return texts.length > 0 ? { ...filter, q: texts.join(' ') } : filter
}

/** Whether opening a message can change what matches. */
export function dependsOnMarks({ isUnread, without = [] }: Filter): boolean {
  return isUnread === true || without.some((excluded) => excluded.isUnread === true)
}

/** Whether the search is understood as a whole. Otherwise “delete all” might delete something else than meant. */
export function isExactSearch(terms: Term[]): boolean {
  return terms.every((term) => problemOf(term) === null)
}

/** Adds the term, or removes it if present. It replaces a term of the same name, unless several are useful. */
export function toggleTerm(terms: Term[], term: Term): Term[] {
  if (hasTerm(terms, term)) return terms.filter((other) => !isSame(other, term))
  return [...withoutReplaced(terms, [term]), term]
}

/** The terms that stay when others are added. */
export function withoutReplaced(terms: Term[], added: Term[]): Term[] {
  return terms.filter(
    (term) => !added.some((other) => isSame(other, term)) && (isOneOfMany(term) || !added.some(isRival(term))),
  )
}

function isRival({ name }: Term): (other: Term) => boolean {
  return (other) => other.name === name && !other.isNot
}

function isOneOfMany({ name, isNot }: Term): boolean {
  return isNot === true || name === 'tag' || name === 'has' || name === 'unknown'
}

export function hasTerm(terms: Term[], term: Term): boolean {
  return terms.some((other) => isSame(other, term))
}

function isSame(one: Term, other: Term): boolean {
  const isBothOrNeither = (one.isNot ?? false) === (other.isNot ?? false)
  return isBothOrNeither && one.name === other.name && one.value.toLowerCase() === other.value.toLowerCase()
}

function isTermName(name: string | undefined): name is TermName {
  return name !== undefined && (TERM_NAMES as readonly string[]).includes(name)
}

function isoTime(value: string, clock: Clock): string {
  return new Date(parseTime(value, clock)!).toISOString()
}

function currentClock(): Clock {
  return { now: serverNow(), isUtc: getPreference('zone') === 'utc' }
}
