import type { InfiniteData } from '@tanstack/react-query'
import type { Outputs } from '../api/trpc.ts'

export type MessagePage = Outputs['inbox']['messages']['list']
export type MessagePages = InfiniteData<MessagePage, string>
export type ListedMessage = MessagePage['messages'][number]

/** Messages up to the cursor `readThrough` are read, and then those in `changed` are as they say. */
export type MarkChanges = {
  readThrough: string | null
  changed: { id: string; isRead: boolean }[]
  /** More have changed than `changed` contains. */
  isCut?: boolean
}

/** Adds new messages on top, without duplicates. */
export function withNew(pages: MessagePages, arrived: ListedMessage[]): MessagePages {
  const known = new Set(pages.pages.flatMap(({ messages }) => messages.map(({ id }) => id)))
  const unknown = arrived.filter(({ id }) => !known.has(id))
  const [first, ...rest] = pages.pages
  if (unknown.length === 0 || !first) return pages
  const cursor = unknown.at(-1)!.cursor
  return { ...pages, pages: [{ ...first, cursor, messages: [...unknown.toReversed(), ...first.messages] }, ...rest] }
}

export function without(pages: MessagePages, ids: ReadonlySet<string>): MessagePages {
  const kept = pages.pages.map((page) => ({ ...page, messages: page.messages.filter(({ id }) => !ids.has(id)) }))
  return { ...pages, pages: kept }
}

/** Unchanged rows stay the same objects, so that they are not rendered again. */
export function withMarks(pages: MessagePages, { readThrough, changed }: MarkChanges): MessagePages {
  const marks = new Map(changed.map(({ id, isRead }) => [id, isRead]))
  const marked = pages.pages.map((page) => ({
    ...page,
    messages: page.messages.map((message) => {
      const isPassed = readThrough !== null && isUpTo(message.cursor, readThrough)
      const isRead = marks.get(message.id) ?? (isPassed || message.isRead)
      return isRead === message.isRead ? message : { ...message, isRead }
    }),
  }))
  return { ...pages, pages: marked }
}

/** Cursors are numbers in base 36 after a letter, without leading zeros. */
function isUpTo(cursor: string, last: string): boolean {
  return cursor.length === last.length ? cursor <= last : cursor.length < last.length
}

/** The id of the message that the next page starts after; undefined if this is the last page. Pages may be empty. */
export function nextPageStart(pages: MessagePage[]): string | undefined {
  if (!pages.at(-1)?.hasMore) return undefined
  return pages.findLast(({ messages }) => messages.length > 0)?.messages.at(-1)!.id
}
