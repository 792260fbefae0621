import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { auth } from './auth.ts'
import { failureOf } from './failure.ts'
import { trpc } from './trpc.ts'

/** Only requests without a response are retried. An error response would be the same again. */
const RETRIES_MAX = 2
/** Pages opened again within this time use cached data. */
const FRESH_MS = 5_000
/** How often figures reload while they are shown. Those of 30 days take the server longer. */
const USAGE_EVERY_MS = 5_000
const SCENARIOS_EVERY_MS = 2_000
const METRICS_EVERY_MS = 15_000

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session has ended. Reloading `me` leads to the sign-in page.
    onError: (error, { queryKey }) => {
      if (failureOf(error).code === 'unauthorized' && queryKey[0] !== 'me') void invalidate('me')
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (count, error) => count < RETRIES_MAX && failureOf(error).code === 'offline',
    },
  },
})

/** The queries of all pages. `invalidate` takes the first element of a query key. */
export const queries = {
  /** Null if not signed in. */
  me: queryOptions({
    queryKey: ['me'],
    queryFn: () =>
      trpc.user.me.query().catch((error: unknown) => {
        if (failureOf(error).code === 'unauthorized') return null
        throw error
      }),
  }),
  methods: queryOptions({ queryKey: ['methods'], queryFn: auth.methods, staleTime: Infinity }),
  sessions: queryOptions({ queryKey: ['sessions'], queryFn: auth.sessions }),
  team: queryOptions({ queryKey: ['team'], queryFn: () => trpc.team.current.query() }),
  members: queryOptions({ queryKey: ['members'], queryFn: () => trpc.team.members.query() }),
  invites: queryOptions({ queryKey: ['invites'], queryFn: () => trpc.team.invites.query() }),
  myInvites: queryOptions({ queryKey: ['myInvites'], queryFn: () => trpc.team.invitesByEmail.query() }),
  mailboxes: queryOptions({ queryKey: ['mailboxes'], queryFn: () => trpc.inbox.mailboxes.list.query() }),
  settings: queryOptions({ queryKey: ['settings'], queryFn: () => trpc.inbox.settings.get.query() }),
  keys: queryOptions({ queryKey: ['keys'], queryFn: () => trpc.apiKeys.list.query() }),
  webhooks: queryOptions({ queryKey: ['webhooks'], queryFn: () => trpc.webhooks.list.query() }),
  // Every mail to a scripted address changes them.
  scenarios: queryOptions({
    queryKey: ['scenarios'],
    queryFn: () => trpc.scenarios.list.query(),
    staleTime: 0,
    refetchInterval: SCENARIOS_EVERY_MS,
  }),
  // Mail may arrive at any time, so figures are never taken as current: a page that shows them asks again.
  usage: queryOptions({
    queryKey: ['usage'],
    queryFn: () => trpc.usage.current.query(),
    staleTime: 0,
    refetchInterval: USAGE_EVERY_MS,
  }),
  metrics: queryOptions({
    queryKey: ['metrics'],
    queryFn: () => trpc.metrics.overview.query(),
    staleTime: 0,
    refetchInterval: METRICS_EVERY_MS,
  }),
  billing: queryOptions({ queryKey: ['billing'], queryFn: () => trpc.billing.status.query() }),
}

/** After a change: components that show these queries reload them. */
export async function invalidate(...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
}
