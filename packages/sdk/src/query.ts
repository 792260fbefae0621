import type { MessageSummary } from './wire.ts'

/** Filters of the message routes, by their names on the wire; all of those given must match. */
export type MessageFilter = {
  /** `qa`, `qa+tag` or a full address. */
  mailbox?: string
  tag?: string
  /** Any of these. */
  tags?: string | string[]
  /** A part of the recipient, in any case; so are `from`, `subject` and `text`. */
  to?: string
  from?: string
  subject?: string
  text?: string
  /** A part of subject, sender, recipient or text. */
  q?: string
  /** `Name:value`, exactly. */
  header?: string
  /** UTC days, both included. */
  start?: string
  end?: string
  /** ISO 8601. */
  since?: string
  /** A cursor: only what became visible after it. */
  after?: string
}

/** With `wait`, the answer is held for so many seconds until something matches. */
export type MessageQuery = MessageFilter & { wait?: number; explain?: 0 | 1 }

export type ListQuery = MessageQuery & { limit?: number; after_id?: string }

/** `cursor` is the place up to which nothing is missing: give it as `after` to go on. */
export type MessagePage = { data: MessageSummary[]; has_more: boolean; cursor: string }
