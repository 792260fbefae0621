import type { MessageSummary } from '@mailhatch/sdk'
import type { InfiniteData } from '@tanstack/react-query'

export type MessagePage = { messages: MessageSummary[]; hasMore: boolean; cursor: string }
export type MessagePages = InfiniteData<MessagePage, string>

/** Adds new messages on top, without duplicates. */
export function withNew(pages: MessagePages, arrived: MessageSummary[]): MessagePages {
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

/** The id of the message that the next page starts after; undefined if this is the last page. Pages may be empty. */
export function nextPageStart(pages: MessagePage[]): string | undefined {
  if (!pages.at(-1)?.hasMore) return undefined
  return pages.findLast(({ messages }) => messages.length > 0)?.messages.at(-1)!.id
}
