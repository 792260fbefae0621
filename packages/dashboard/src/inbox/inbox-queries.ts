import { queryOptions } from '@tanstack/react-query'
import { ALONE, trpc } from '../api/trpc.ts'

/** Tests wait for seconds: who looks wants to see them come and go. */
const WAITS_EVERY_MS = 3_000
const TAGS_EVERY_MS = 30_000

export const inboxQueries = {
  tags: queryOptions({
    queryKey: ['tags'],
    queryFn: () => trpc.inbox.tags.list.query(undefined, ALONE),
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
    // Another address each time it is asked.
    staleTime: Infinity,
  }),
  message: (id: string) =>
    queryOptions({
      queryKey: ['message', id],
      queryFn: () => trpc.inbox.messages.get.query({ id }),
      // A message never changes.
      staleTime: Infinity,
    }),
  /** Opens once, so it is forgotten with the frame that has opened it. */
  view: (wish: { id: string; remoteImages: boolean; attachment: number | null }) =>
    queryOptions({
      queryKey: ['view', wish],
      queryFn: () => trpc.inbox.messages.view.query(wish),
      staleTime: Infinity,
      gcTime: 0,
      refetchOnWindowFocus: false,
    }),
}
