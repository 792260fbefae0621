import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { auth } from './auth.ts'
import { failureOf } from './failure.ts'
import { trpc } from './trpc.ts'

/** Retried only when nobody answered: a refusal stays one. */
const RETRIES_MAX = 2
/** Pages that are opened again within this time show what they had without asking. */
const FRESH_MS = 5_000

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session has ended meanwhile: ask who we are, which leads to the sign-in page.
    onError: (error, { queryKey }) => {
      if (failureOf(error).code === 'unauthorized' && queryKey[0] !== 'me') void askAgain('me')
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (count, error) => count < RETRIES_MAX && failureOf(error).code === 'offline',
    },
  },
})

/** What pages ask for; the first word of a key names it for `askAgain`. */
export const queries = {
  /** Null for strangers. */
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
  usage: queryOptions({ queryKey: ['usage'], queryFn: () => trpc.usage.current.query() }),
  metrics: queryOptions({ queryKey: ['metrics'], queryFn: () => trpc.metrics.overview.query() }),
  billing: queryOptions({ queryKey: ['billing'], queryFn: () => trpc.billing.status.query() }),
}

/** After a change: whoever shows one of these asks for it again. */
export async function askAgain(...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
}
