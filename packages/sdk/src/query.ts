import type { MessageSummary } from './wire.ts'

/** Filters of the message routes, named as on the wire. All must match. */
export type MessageFilter = {
  /** `qa`, `qa+tag` or a full address. */
  mailbox?: string
  tag?: string
  /** Any of these tags. */
  tags?: string | string[]
  /** Case-insensitive substring of the recipient; likewise `from`, `subject` and `text`. */
  to?: string
  from?: string
  subject?: string
  text?: string
  /** Substring of subject, sender, recipient or text. */
  q?: string
  /** `Name:value`, exact match. */
  header?: string
  /** UTC days, inclusive. */
  start?: string
  end?: string
  /** ISO 8601. */
  since?: string
  /** A cursor: only messages that became visible after it. */
  after?: string
}

/** `wait`: how many seconds the server holds the response until a message matches. */
export type MessageQuery = MessageFilter & { wait?: number; explain?: 0 | 1 }

/** `quiet` and `wait` are seconds: for how long no message must come, and how long the server holds the response for that. */
export type SettledQuery = Pick<MessageFilter, 'tag' | 'tags' | 'after'> & {
  mailbox: string
  quiet?: number
  wait?: number
}

export type ListQuery = Omit<MessageQuery, 'explain'> & { limit?: number; after_id?: string }

/** Nothing is missing up to `cursor`: pass it as `after` to continue. */
export type MessagePage = { data: MessageSummary[]; has_more: boolean; cursor: string }
