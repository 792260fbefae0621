import type { MessageSummary } from '@mailhatch/sdk'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { failureOf, type Failure } from '../api/failure.ts'
import { trpc } from '../api/trpc.ts'
import { nextPageStart, withNew, type MessagePages } from './message-pages.ts'
import { useHidden } from './removals.ts'
import type { Filter } from './search-terms.ts'

/** One request for several screens of scrolling. */
const PAGE_MESSAGES = 100
/** How many messages are loaded to find those that the browser selects itself. */
const CHECKED_MAX = 5_000

export type MessageList = {
  messages: MessageSummary[]
  isLoading: boolean
  failure: Failure | null
  hasMore: boolean
  isLoadingMore: boolean
  /** The cursor up to which the list is complete; undefined while it loads. */
  cursor: string | undefined
  loadMore: () => void
  /** Loads pages until the list has this many messages or is complete; resolves to the messages. */
  loadUpTo: (count: number) => Promise<MessageSummary[]>
  add: (arrived: MessageSummary[]) => void
  reload: () => void
}

/**
 * Matching messages, newest first. Loaded pages are not refetched; `add` puts new messages on top. `isKept` is a condition
 * that the server does not know.
 */
export function useMessages(filter: Filter, isKept: ((id: string) => boolean) | null): MessageList {
  const client = useQueryClient()
  const queryKey = ['messages', filter]
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      trpc.inbox.messages.list.query({ ...filter, limit: PAGE_MESSAGES, ...(pageParam && { afterId: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: (_, pages) => nextPageStart(pages),
    // The stream keeps the list current. A refetch would load every page again.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const hidden = useHidden()
  const shownOf = (pages: Pick<MessagePages, 'pages'> | undefined) =>
    (pages?.pages ?? [])
      .flatMap((page) => page.messages)
      .filter(({ id }) => !hidden.has(id) && (isKept === null || isKept(id)))
  const messages = useMemo(() => shownOf(data), [data, hidden, isKept])
  const loadedCount = (data?.pages.length ?? 0) * PAGE_MESSAGES
  const hasMore = hasNextPage && (isKept === null || loadedCount < CHECKED_MAX)

  function loadMore(): void {
    if (hasMore && !isFetchingNextPage && !error) void fetchNextPage({ cancelRefetch: false })
  }
  const isShort = isKept !== null && hasMore && messages.length < PAGE_MESSAGES
  useEffect(() => {
    if (isShort) loadMore()
  }, [isShort, loadedCount])

  return {
    messages,
    isLoading: query.isPending || (isShort && messages.length === 0 && !error),
    failure: error ? failureOf(error) : null,
    hasMore,
    isLoadingMore: isFetchingNextPage,
    cursor: data?.pages[0]?.cursor,
    loadMore,
    async loadUpTo(count) {
      let loaded: Pick<typeof query, 'data' | 'error' | 'hasNextPage' | 'fetchNextPage'> = query
      const isEnough = () => {
        const isChecked = isKept !== null && (loaded.data?.pages.length ?? 0) * PAGE_MESSAGES >= CHECKED_MAX
        return isChecked || shownOf(loaded.data).length >= count
      }
      while (loaded.hasNextPage && !loaded.error && !isEnough()) {
        loaded = await loaded.fetchNextPage({ cancelRefetch: false })
      }
      return shownOf(loaded.data)
    },
    add: (arrived) => void client.setQueryData<MessagePages>(queryKey, (pages) => pages && withNew(pages, arrived)),
    reload: () => void client.resetQueries({ queryKey }),
  }
}
