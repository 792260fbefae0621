import type { Email } from './email.ts'
import { ContentNotFoundError } from './errors.ts'
import type { MessageFilter } from './query.ts'
import type { MessageSummary } from './wire.ts'

type PatternName = 'to' | 'from' | 'subject' | 'text'

/**
 * What to wait for: the server's filters, where `to`, `from`, `subject` and `text` may also be patterns, and conditions
 * that the client checks.
 */
export type Match = Omit<MessageFilter, PatternName> & { [name in PatternName]?: string | RegExp } & {
  hasAttachment?: boolean
  /** Called with the whole message. A missing `code()` or `link()` counts as false. */
  where?: (email: Email) => boolean | Promise<boolean>
}

/** The conditions of a match, grouped by what is needed to check them. */
export type Conditions = {
  filter: MessageFilter
  /** Names of the conditions that the summary fails. */
  failedBySummary: (summary: MessageSummary) => string[]
  /** Null if the summary is enough. */
  failedByEmail: ((email: Email) => Promise<string[]>) | null
  isForServerAlone: boolean
}

type Test<Message> = [name: string, isMet: (message: Message) => boolean | Promise<boolean>]

const TEXTS: Record<'to' | 'from' | 'subject', (summary: MessageSummary) => string[]> = {
  to: ({ to }) => [to],
  from: ({ from, fromName }) => [from, fromName ?? ''],
  subject: ({ subject }) => [subject],
}

/** All names of a match, as values. */
const NAMES: Record<keyof Match, true> = {
  mailbox: true,
  tag: true,
  tags: true,
  to: true,
  from: true,
  subject: true,
  text: true,
  q: true,
  header: true,
  start: true,
  end: true,
  since: true,
  after: true,
  hasAttachment: true,
  where: true,
}
/** Names that belong to the options of a wait, or to another method. */
const OPTION_NAMES = ['timeout', 'quiet', 'within', 'interval', 'signal', 'again']

export function conditionsOf(match: Match): Conditions {
  checkMatch(match)
  const { to, from, subject, text, hasAttachment, where, ...rest } = match
  const filter: MessageFilter = { ...rest }
  const onSummary: [name: string, isMet: (summary: MessageSummary) => boolean][] = []
  const onEmail: Test<Email>[] = []
  for (const [name, wanted] of Object.entries({ to, from, subject }) as [keyof typeof TEXTS, string | RegExp][]) {
    if (wanted instanceof RegExp) onSummary.push([name, (summary) => occurs(wanted, TEXTS[name](summary))])
    else if (wanted !== undefined) filter[name] = wanted
  }
  if (text instanceof RegExp) onEmail.push(['text', (email) => occurs(text, [email.text])])
  else if (text !== undefined) filter.text = text
  if (hasAttachment !== undefined) {
    onSummary.push(['hasAttachment', ({ attachmentCount }) => attachmentCount > 0 === hasAttachment])
  }
  if (where !== undefined) onEmail.push(['where', (email) => answerOf(where, email)])
  return {
    filter,
    failedBySummary: (summary) => onSummary.filter(([, isMet]) => !isMet(summary)).map(([name]) => name),
    failedByEmail: onEmail.length === 0 ? null : (email) => failedOf(onEmail, email),
    isForServerAlone: onSummary.length === 0 && onEmail.length === 0,
  }
}

/** Throws a TypeError. An unknown condition would be ignored, and the wait would return a message that was not meant. */
export function checkMatch(match: object): void {
  if (typeof match !== 'object' || match === null) {
    throw new TypeError(`What to wait for is an object, such as { subject: 'Welcome' }, not ${JSON.stringify(match)}.`)
  }
  const given = Object.entries(match).filter(([, value]) => value !== undefined)
  const unknown = given.find(([name]) => !Object.hasOwn(NAMES, name))?.[0]
  if (unknown === undefined) return
  const help = OPTION_NAMES.includes(unknown)
    ? 'Options of a wait are the second argument: waitFor({ … }, { timeout: 5_000 }).'
    : `The conditions are ${Object.keys(NAMES).join(', ')}.`
  throw new TypeError(`A message cannot be matched by ${JSON.stringify(unknown)}. ${help}`)
}

/** The match as text, for error messages. */
export function describeMatch(match: object): string {
  return JSON.stringify(match, (_, value: unknown) => {
    if (value instanceof RegExp) return String(value)
    return typeof value === 'function' ? '(a function)' : value
  })
}

async function failedOf(tests: Test<Email>[], email: Email): Promise<string[]> {
  const failed: string[] = []
  for (const [name, isMet] of tests) if (!(await isMet(email))) failed.push(name)
  return failed
}

async function answerOf(where: NonNullable<Match['where']>, email: Email): Promise<boolean> {
  try {
    return await where(email)
  } catch (error) {
    if (error instanceof ContentNotFoundError) return false
    throw error
  }
}

/** `search` ignores `lastIndex`, so a global pattern works more than once. */
const occurs = (pattern: RegExp, texts: string[]): boolean => texts.some((text) => text.search(pattern) >= 0)
