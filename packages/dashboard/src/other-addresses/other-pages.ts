import type { InfiniteData } from '@tanstack/react-query'
import type { Outputs } from '../api/trpc.ts'

export type OtherPage = Outputs['inbox']['others']['list']
export type OtherPages = InfiniteData<OtherPage, string | null>

/** The loaded pages after the first one was loaded again. Pages that no longer follow it are dropped. */
export function withFirstPage({ pages }: OtherPages, first: OtherPage): OtherPages {
  const oldest = first.messages.at(-1)?.id
  const known = pages.flatMap(({ messages }) => messages)
  const at = known.findIndex(({ id }) => id === oldest)
  const merged =
    first.hasMore && at !== -1
      ? { messages: [...first.messages, ...known.slice(at + 1)], hasMore: pages.at(-1)!.hasMore }
      : first
  return { pages: [merged], pageParams: [null] }
}
