import { queryOptions } from '@tanstack/react-query'
import { UNBATCHED, trpc } from '../api/trpc.ts'

/** Short, because a test waits only for seconds. */
const WAITS_EVERY_MS = 3_000
const TAGS_EVERY_MS = 30_000

export const inboxQueries = {
  tags: queryOptions({
    queryKey: ['tags'],
    queryFn: () => trpc.inbox.tags.list.query(undefined, UNBATCHED),
    refetchInterval: TAGS_EVERY_MS,
  }),
  waits: queryOptions({
    queryKey: ['waits'],
    queryFn: () => trpc.inbox.waits.list.query(),
    refetchInterval: WAITS_EVERY_MS,
  }),
  rejections: queryOptions({
    queryKey: ['rejections'],
    queryFn: () => trpc.inbox.rejections.list.query({ limit: 100 }),
  }),
  unrouted: queryOptions({
    queryKey: ['unrouted'],
    queryFn: () => trpc.inbox.unrouted.list.query({ limit: 100 }),
  }),
  firstSteps: queryOptions({
    queryKey: ['firstSteps'],
    queryFn: () => trpc.inbox.firstSteps.get.query(),
    // Each request returns a different address; keep the first one.
    staleTime: Infinity,
  }),
  message: (id: string) =>
    queryOptions({
      queryKey: ['message', id],
      queryFn: () => trpc.inbox.messages.get.query({ id }),
      // A message never changes.
      staleTime: Infinity,
    }),
  /** The URL works once, so it is dropped from the cache together with its frame. */
  view: (input: { id: string; remoteImages: boolean; attachment: number | null }) =>
    queryOptions({
      queryKey: ['view', input],
      queryFn: () => trpc.inbox.messages.view.query(input),
      staleTime: Infinity,
      gcTime: 0,
      refetchOnWindowFocus: false,
    }),
}
