import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { failureOf, type Failure } from '../api/failure.ts'
import { trpc } from '../api/trpc.ts'
import { nextPageStart, withNew, type ListedMessage, type MessagePages } from './message-pages.ts'
import { useHidden } from './removals.ts'
import { dependsOnMarks, type Filter } from './search-terms.ts'

/** One request for several screens of scrolling. */
const PAGE_MESSAGES = 100

/** What the list shows. */
export type MessageList = {
  messages: ListedMessage[]
  isLoading: boolean
  failure: Failure | null
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
  reload: () => void
}

export type InboxList = MessageList & {
  /** The cursor up to which the list is complete; undefined while it loads. */
  cursor: string | undefined
  /** The state of the read marks that the list shows. */
  marks: string | undefined
  /** Loads pages until the list has this many messages or is complete; resolves to the messages. */
  loadUpTo: (count: number) => Promise<ListedMessage[]>
  add: (arrived: ListedMessage[]) => void
}

/** Matching messages, newest first. Loaded pages are not refetched; `add` puts new messages on top. */
export function useMessages(filter: Filter): InboxList {
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
    // A message that is opened stays in a list of unread ones, but not in the next such search.
    ...(dependsOnMarks(filter) && { gcTime: 0 }),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const hidden = useHidden()
  const shownOf = (pages: Pick<MessagePages, 'pages'> | undefined) =>
    (pages?.pages ?? []).flatMap((page) => page.messages).filter(({ id }) => !hidden.has(id))
  const messages = useMemo(() => shownOf(data), [data, hidden])
  return {
    messages,
    isLoading: query.isPending,
    failure: error ? failureOf(error) : null,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    cursor: data?.pages[0]?.cursor,
    // Of the oldest request: changes that later pages include already are sent again.
    marks: data?.pages[0]?.marks,
    loadMore() {
      if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage({ cancelRefetch: false })
    },
    async loadUpTo(count) {
      let loaded: Pick<typeof query, 'data' | 'error' | 'hasNextPage' | 'fetchNextPage'> = query
      while (loaded.hasNextPage && !loaded.error && shownOf(loaded.data).length < count) {
        loaded = await loaded.fetchNextPage({ cancelRefetch: false })
      }
      return shownOf(loaded.data)
    },
    add: (arrived) => void client.setQueryData<MessagePages>(queryKey, (pages) => pages && withNew(pages, arrived)),
    reload: () => void client.resetQueries({ queryKey }),
  }
}
