import type { Header } from '@mailhatch/sdk'
import { lowerAscii } from './fold.ts'

/** The filters of a request. A missing filter matches everything. Text is folded, times are milliseconds. */
export type MessageFilter = {
  /** The mailbox to which the key is bound. */
  mailboxId?: string
  mailbox?: { name: string; tag: string | null; domain: string | null }
  tag?: string
  tags?: string[]
  to?: Needle
  from?: Needle
  subject?: Needle
  text?: Needle
  q?: Needle
  header?: Header
  start?: number
  /** The first millisecond after the last day. */
  end?: number
  since?: number
}

/** Folded interpretations of one filter value. One of them must occur. */
export type Needle = string[]

/** The fields of a message that filters use. Folded fields come from `fold`. */
export type Matchable = {
  mailboxId: string
  mailbox: string
  tag: string | null
  domain: string
  receivedAt: number
  subjectFolded: string
  fromFolded: string
  toFolded: string
  mailboxWithTagFolded: string
  bodyFolded: string
  headers: Header[]
}

export type ParameterName = Exclude<keyof MessageFilter, 'mailboxId'>

/** Defines what matches. The SQL in store/ is tested against it. */
export function matches(filter: MessageFilter, message: Matchable): boolean {
  if (filter.mailboxId !== undefined && filter.mailboxId !== message.mailboxId) return false
  for (const name of PARAMETERS) {
    if (filter[name] !== undefined && !TESTS[name](filter, message)) return false
  }
  return true
}

/** The parameters that the message does not match, in the order of `TESTS`. */
export function failedParameters(filter: MessageFilter, message: Matchable): ParameterName[] {
  return PARAMETERS.filter((name) => filter[name] !== undefined && !TESTS[name](filter, message))
}

/** True if the filter needs columns of the content table. */
export function needsContent(filter: MessageFilter): boolean {
  return filter.text !== undefined || filter.q !== undefined || filter.header !== undefined
}

// Called only for parameters that are set.
const TESTS: { [name in ParameterName]: (filter: MessageFilter, message: Matchable) => boolean } = {
  mailbox: ({ mailbox }, message) =>
    mailbox!.name === message.mailbox &&
    (mailbox!.tag === null || mailbox!.tag === message.tag) &&
    (mailbox!.domain === null || mailbox!.domain === message.domain),
  tag: ({ tag }, message) => tag === message.tag,
  tags: ({ tags }, message) => message.tag !== null && tags!.includes(message.tag),
  to: ({ to }, message) => contains(message.toFolded, to!),
  from: ({ from }, message) => contains(message.fromFolded, from!),
  subject: ({ subject }, message) => contains(message.subjectFolded, subject!),
  text: ({ text }, message) => contains(message.bodyFolded, text!),
  q: ({ q }, message) =>
    contains(message.subjectFolded, q!) ||
    contains(message.fromFolded, q!) ||
    contains(message.toFolded, q!) ||
    contains(message.mailboxWithTagFolded, q!) ||
    contains(message.bodyFolded, q!),
  header: ({ header }, message) =>
    message.headers.some(({ name, value }) => lowerAscii(name) === header!.name && value === header!.value),
  start: ({ start }, message) => message.receivedAt >= start!,
  end: ({ end }, message) => message.receivedAt < end!,
  since: ({ since }, message) => message.receivedAt >= since!,
}

// The type of TESTS guarantees these keys.
const PARAMETERS = Object.keys(TESTS) as ParameterName[]

function contains(haystack: string, needle: Needle): boolean {
  return needle.some((text) => haystack.includes(text))
}
