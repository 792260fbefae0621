import { queryOptions } from '@tanstack/react-query'
import { UNBATCHED, trpc } from '../api/trpc.ts'
import type { Filter } from './search-terms.ts'

/** Short, because a test waits only for seconds. */
const WAITS_EVERY_MS = 3_000
const TAGS_EVERY_MS = 30_000
/** The list reports new mail at once. This is for mail outside a search, and for what others delete. */
const COUNTS_EVERY_MS = 10_000

export const inboxQueries = {
  tags: queryOptions({
    queryKey: ['tags'],
    queryFn: () => trpc.inbox.tags.list.query(undefined, UNBATCHED),
    refetchInterval: TAGS_EVERY_MS,
  }),
  /** How many messages there are and how many are not read, in total and in each mailbox. */
  counts: queryOptions({
    queryKey: ['counts'],
    queryFn: () => trpc.inbox.readMarks.counts.query(undefined, UNBATCHED),
    refetchInterval: COUNTS_EVERY_MS,
  }),
  /** How many messages match. */
  matching: (filter: Filter) =>
    queryOptions({
      queryKey: ['counts', filter],
      queryFn: () => trpc.inbox.messages.count.query(filter, UNBATCHED),
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
  /** For one address, or null for all. */
  attempts: (to: string | null) =>
    queryOptions({
      queryKey: ['attempts of senders', to],
      queryFn: () => trpc.inbox.attempts.list.query({ to, limit: to === null ? 100 : 20 }),
    }),
  unrouted: queryOptions({
    queryKey: ['unrouted'],
    queryFn: () => trpc.inbox.unrouted.list.query({ limit: 100, withoutOthers: true }),
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
      // A message never changes, but it can be deleted.
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
