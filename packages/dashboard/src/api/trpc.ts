import { createTRPCClient, httpBatchLink, httpLink, httpSubscriptionLink, splitLink } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '../../../server/src/http/rpc/router.ts'
import { serverPath } from '../base-path.ts'
import { learnServerTime } from '../server-time.ts'

export type Outputs = inferRouterOutputs<AppRouter>
export type Inputs = inferRouterInputs<AppRouter>

const url = serverPath('/trpc')

/** The same limit as on the server. */
const BATCH_MAX = 20

/** For slow queries: sent outside the batch, so that the rest of the page does not wait for them. */
export const UNBATCHED = { context: { isUnbatched: true } }

const ask: typeof fetch = async (...request) => learnServerTime(await fetch(...request))

/** The server's procedures, called with the session cookie. */
export const trpc = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: ({ type }) => type === 'subscription',
      true: httpSubscriptionLink({ url }),
      false: splitLink({
        condition: ({ context }) => context['isUnbatched'] === true,
        true: httpLink({ url, fetch: ask }),
        false: httpBatchLink({ url, maxItems: BATCH_MAX, fetch: ask }),
      }),
    }),
  ],
})
