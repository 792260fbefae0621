import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { failureOf } from '../api/failure.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import type { MessageList } from '../inbox/use-messages.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { withFirstPage, type OtherPages } from './other-pages.ts'
import { useOtherSummary } from './use-other-summary.ts'

export type OtherMessage = Outputs['inbox']['others']['list']['messages'][number]

const LIST_KEY = ['others']

/** The list, newest first. It follows the summary. */
export function useOtherMail(): MessageList & { messages: OtherMessage[] } {
  const client = useQueryClient()
  const version = useOtherSummary()?.version
  const refresh = useRef(
    oneAtATime(async () => {
      const first = await trpc.inbox.others.list.query({})
      client.setQueryData<OtherPages>(LIST_KEY, (pages) => pages && withFirstPage(pages, first))
    }),
  )
  const query = useInfiniteQuery({
    queryKey: LIST_KEY,
    queryFn: ({ pageParam }) => trpc.inbox.others.list.query({ before: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, messages }) => (hasMore ? messages.at(-1)?.id : undefined),
    staleTime: Infinity,
    // A list from an earlier visit may be old.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const isLoaded = data !== undefined
  // Only messages of a team have read marks.
  const messages = useMemo(
    () => (data?.pages ?? []).flatMap((page) => page.messages).map((message) => ({ ...message, isRead: true })),
    [data],
  )

  useEffect(() => {
    if (version !== undefined && isLoaded) refresh.current()
  }, [version, isLoaded])

  return {
    messages,
    isLoading: query.isPending,
    failure: error ? failureOf(error) : null,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore() {
      if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage({ cancelRefetch: false })
    },
    reload: () => void client.resetQueries({ queryKey: LIST_KEY }),
  }
}
