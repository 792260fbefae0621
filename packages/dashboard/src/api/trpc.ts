import { createTRPCClient, httpBatchLink, httpLink, httpSubscriptionLink, splitLink } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '../../../server/src/http/rpc/router.ts'
import { serverPath } from '../base-path.ts'

export type Outputs = inferRouterOutputs<AppRouter>
export type Inputs = inferRouterInputs<AppRouter>

const url = serverPath('/trpc')

/** As the server limits them. */
const BATCH_MAX = 20

/** For what may take its time: asked for by itself, so that what a page asks for together does not wait for it. */
export const ALONE = { context: { isAlone: true } }

/** The procedures of the server, for whoever is signed in. */
export const trpc = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: ({ type }) => type === 'subscription',
      true: httpSubscriptionLink({ url }),
      false: splitLink({
        condition: ({ context }) => context['isAlone'] === true,
        true: httpLink({ url }),
        false: httpBatchLink({ url, maxItems: BATCH_MAX }),
      }),
    }),
  ],
})
