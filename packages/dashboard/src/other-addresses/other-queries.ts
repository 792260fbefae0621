import { queryOptions } from '@tanstack/react-query'
import { UNBATCHED, trpc } from '../api/trpc.ts'
import type { MailSource } from '../inbox/mail-source.ts'

/** The server answers from memory. Mail is visible within a second of its 250. */
const SUMMARY_EVERY_MS = 500
const AFTER_FAILURE_MS = 5_000

export const otherQueries = {
  /** How much mail there is, and for which domains. */
  summary: queryOptions({
    queryKey: ['otherSummary'],
    queryFn: () => trpc.inbox.others.summary.query(),
    refetchInterval: ({ state }) => (state.error ? AFTER_FAILURE_MS : SUMMARY_EVERY_MS),
  }),
  caught: queryOptions({ queryKey: ['caughtDomains'], queryFn: () => trpc.inbox.caught.list.query() }),
}

/** Mail that no team claims, for its list and the message pane. */
export const OTHER_MAIL: MailSource = {
  message: (id) =>
    queryOptions({
      queryKey: ['otherMessage', id],
      queryFn: () => trpc.inbox.others.get.query({ id }),
      staleTime: Infinity,
    }),
  view: (input) =>
    queryOptions({
      queryKey: ['otherView', input],
      queryFn: () => trpc.inbox.others.view.query(input),
      staleTime: Infinity,
      gcTime: 0,
      refetchOnWindowFocus: false,
    }),
  previews: (ids) => trpc.inbox.others.previews.query({ ids }, UNBATCHED),
  filesPath: (id) => `/app/others/${encodeURIComponent(id)}`,
  isInbox: false,
}
