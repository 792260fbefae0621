import type { Inputs } from '../api/trpc.ts'

/** Filter names, as in `from:shop`. */
export const TERM_NAMES = [
  'from',
  'to',
  'subject',
  'text',
  'mailbox',
  'tag',
  'header',
  'since',
  'start',
  'end',
] as const

type TermName = (typeof TERM_NAMES)[number]

/** `q` is text without a name, which searches everywhere. */
export type Term = { name: TermName | 'q'; value: string }

export type Filter = NonNullable<Inputs['inbox']['messages']['count']>

const TERM = /(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gi

/** Parses `from:shop tag:login "your code"`. All words without a name form one `q` term. */
export function parseSearch(text: string): Term[] {
  const terms: Term[] = []
  const freeWords: string[] = []
  for (const [whole, name, quoted, bare] of text.matchAll(TERM)) {
    const value = (quoted ?? bare ?? '').trim()
    const word = name?.toLowerCase()
    if (isTermName(word)) {
      if (value !== '') terms.push({ name: word, value })
    } else freeWords.push(quoted === undefined || name !== undefined ? whole : quoted)
  }
  if (freeWords.length > 0) terms.push({ name: 'q', value: freeWords.join(' ').trim() })
  return terms
}

export function formatSearch(terms: Term[]): string {
  return terms.map(formatTerm).join(' ')
}

export function formatTerm({ name, value }: Term): string {
  if (name === 'q') return /[a-z]+:/i.test(value) ? `"${value}"` : value
  return `${name}:${/\s/.test(value) ? `"${value}"` : value}`
}

/** The filter to send. Several tags mean any of them; of other names, the last one counts. */
export function filterOf(terms: Term[]): Filter {
  const tags = terms.filter(({ name }) => name === 'tag').map(({ value }) => value)
  const others = terms.filter(({ name }) => name !== 'tag').map(({ name, value }) => [name, value])
  return { ...Object.fromEntries(others), ...(tags.length > 0 && { tags }) }
}

/** Adds the term, or removes it if present. Except for tags, it replaces a term of the same name. */
export function toggleTerm(terms: Term[], term: Term): Term[] {
  if (hasTerm(terms, term)) return terms.filter((other) => !isSame(other, term))
  return [...terms.filter(({ name }) => name === 'tag' || name !== term.name), term]
}

export function hasTerm(terms: Term[], term: Term): boolean {
  return terms.some((other) => isSame(other, term))
}

function isSame(one: Term, other: Term): boolean {
  return one.name === other.name && one.value.toLowerCase() === other.value.toLowerCase()
}

function isTermName(name: string | undefined): name is TermName {
  return name !== undefined && (TERM_NAMES as readonly string[]).includes(name)
}
