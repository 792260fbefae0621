import { AppError } from '../../domain/errors.ts'
import type { MessageFilter } from '../../domain/match.ts'
import { cleanText } from './clean-text.ts'
import { parseQueryDate } from './query-dates.ts'
import type { Searchable } from './searchable.ts'

/** Mailpit's own limit is that of the URL. Each term may be compared with every message. */
const TERMS_MAX = 50

type AddressField = 'to' | 'from' | 'cc' | 'bcc' | 'reply-to' | 'addressed'
type TextTerm = { on: 'text'; needle: string }
type FieldTerm =
  | { on: AddressField | 'subject' | 'message-id' | 'tag'; needle: string }
  | { on: 'tagged' | 'inline' | 'attachment' }
  | { on: 'after' | 'before'; at: number }
  | { on: 'larger' | 'smaller'; bytes: number }
type ReadTerm = { on: 'read' }
type Wanted = TextTerm | FieldTerm | ReadTerm
type Excluded = { isExcluded: boolean }

/** One part of a search. All parts must hold. */
export type Term = (TextTerm & Excluded) | (FieldTerm & Excluded) | (ReadTerm & Excluded)

type Summary = { receivedAt: number; size: number | null }

/** Parses a search. Throws 400 if a date or the time zone is not valid: ignoring it could delete everything. */
export function parseQuery(query: string, timeZone: string | null): Term[] {
  const words = splitWords(query).filter((word) => cleanText(word) !== '')
  if (words.length > TERMS_MAX) throw new AppError('validation_failed', `A search has at most ${TERMS_MAX} parts.`)
  return words.flatMap((word) => {
    const isExcluded = word.length > 1 && /^[-!]/.test(word)
    const wanted = parseWord(isExcluded ? word.slice(1) : word, timeZone)
    return wanted ? [{ ...wanted.term, isExcluded: isExcluded !== wanted.isOpposite }] : []
  })
}

/** Splits at spaces that are not between quotation marks, and removes these. */
function splitWords(query: string): string[] {
  const words = query.match(/(?:"[^"]*(?:"|$)|[^ "])+/g) ?? []
  return words.map((word) => word.replaceAll('"', '').trim()).filter((word) => word !== '')
}

const FLAGS = new Map<string, { term: Wanted; isOpposite: boolean }>([
  ['is:read', { term: { on: 'read' }, isOpposite: false }],
  ['is:unread', { term: { on: 'read' }, isOpposite: true }],
  ['is:tagged', { term: { on: 'tagged' }, isOpposite: false }],
  ['has:inline', { term: { on: 'inline' }, isOpposite: false }],
  ['has:inlines', { term: { on: 'inline' }, isOpposite: false }],
  ['has:attachment', { term: { on: 'attachment' }, isOpposite: false }],
  ['has:attachments', { term: { on: 'attachment' }, isOpposite: false }],
])

/** Null if the word says nothing, such as `to:`. A word with an unknown operator is text. */
function parseWord(word: string, timeZone: string | null): { term: Wanted; isOpposite: boolean } | null {
  const flag = FLAGS.get(word.toLowerCase())
  if (flag) return flag
  const [, operator = '', value = ''] = /^([a-z-]+):(.*)$/is.exec(word) ?? []
  const term = parseOperator(operator.toLowerCase(), value, timeZone)
  return term === null ? null : { term: term ?? { on: 'text', needle: cleanText(word) }, isOpposite: false }
}

/** Undefined if there is no such operator. */
function parseOperator(operator: string, value: string, timeZone: string | null): Wanted | null | undefined {
  const needle = cleanText(value)
  switch (operator) {
    case 'to':
    case 'from':
    case 'cc':
    case 'bcc':
    case 'reply-to':
    case 'addressed':
    case 'message-id':
    case 'tag':
      return needle === '' ? null : { on: operator, needle }
    case 'subject':
      return value === '' ? null : { on: operator, needle: value.toLowerCase() }
    case 'after':
    case 'before':
      return needle === '' ? null : { on: operator, at: parseQueryDate(needle, timeZone) }
    case 'larger':
    case 'smaller': {
      const bytes = parseSize(needle)
      return bytes > 0 ? { on: operator, bytes } : undefined
    }
    default:
      return undefined
  }
}

const UNITS: Record<string, number> = { '': 1, k: 1024, kb: 1024, m: 1024 * 1024, mb: 1024 * 1024 }

/** 0 if it is not a size. */
function parseSize(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s?([a-z]{1,2})?$/.exec(text) ?? []
  return Math.floor(Number(number) * (UNITS[unit] ?? 0))
}

/** A filter with the part of a search that the store can evaluate. */
export function timeFilterOf(terms: Term[], given: MessageFilter): MessageFilter {
  const filter = { ...given }
  for (const term of terms) {
    if (term.on !== 'after' && term.on !== 'before') continue
    if ((term.on === 'after') !== term.isExcluded) filter.start = Math.max(filter.start ?? -Infinity, term.at)
    else filter.end = Math.min(filter.end ?? Infinity, term.at + 1)
  }
  return filter
}

/** Terms by what has to be read for them. */
export type SortedTerms = {
  fields: (FieldTerm & Excluded)[]
  texts: (TextTerm & Excluded)[]
  read: (ReadTerm & Excluded)[]
}

export function sortTerms(terms: Term[]): SortedTerms {
  return {
    fields: terms.filter((term) => term.on !== 'text' && term.on !== 'read'),
    texts: terms.filter((term) => term.on === 'text'),
    read: terms.filter((term) => term.on === 'read'),
  }
}

export function matchesFields({ fields }: SortedTerms, summary: Summary, searchable: Searchable): boolean {
  return fields.every((term) => matches(term, summary, searchable))
}

export function matchesText({ texts }: SortedTerms, searched: string): boolean {
  return texts.every(({ needle, isExcluded }) => searched.includes(needle) !== isExcluded)
}

export function matchesRead({ read }: SortedTerms, isRead: boolean): boolean {
  return read.every(({ isExcluded }) => isRead !== isExcluded)
}

function matches(term: FieldTerm & Excluded, summary: Summary, searchable: Searchable): boolean {
  const { isExcluded } = term
  switch (term.on) {
    // A message of exactly this time or size: Mailpit excludes neither from both sides.
    case 'after':
      return isExcluded ? summary.receivedAt <= term.at : summary.receivedAt >= term.at
    case 'before':
      return isExcluded ? summary.receivedAt >= term.at : summary.receivedAt <= term.at
    case 'larger':
      return isExcluded ? sizeOf(summary) < term.bytes : sizeOf(summary) > term.bytes
    case 'smaller':
      return isExcluded ? sizeOf(summary) > term.bytes : sizeOf(summary) < term.bytes
    case 'tagged':
      return searchable.tags.length > 0 !== isExcluded
    case 'inline':
      return searchable.inline > 0 !== isExcluded
    case 'attachment':
      return searchable.attachments > 0 !== isExcluded
    case 'tag':
      return searchable.tags.some((tag) => tag.toLowerCase() === term.needle) !== isExcluded
    case 'reply-to':
      return searchable.replyTo.includes(term.needle) !== isExcluded
    case 'message-id':
      return searchable.messageId.includes(term.needle) !== isExcluded
    case 'addressed':
      return ADDRESSED.some((field) => searchable[field].includes(term.needle)) !== isExcluded
    default:
      return searchable[term.on].includes(term.needle) !== isExcluded
  }
}

const ADDRESSED = ['from', 'to', 'cc', 'bcc', 'replyTo'] as const

function sizeOf({ size }: { size: number | null }): number {
  return size ?? 0
}
