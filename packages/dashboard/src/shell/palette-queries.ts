import { queryOptions } from '@tanstack/react-query'
import { trpc } from '../api/trpc.ts'
import { inboxQueries } from '../inbox/inbox-queries.ts'

/** How many of the newest messages to take addresses from. */
const MESSAGES_FOR_ADDRESSES = 50
/** How many messages to load in search of a code. Usually the first one has it. */
const MESSAGES_FOR_CODE = 3

/** Loaded when the palette opens, so that its commands run at once. */
export const paletteQueries = {
  newestAddresses: queryOptions({
    queryKey: ['newestAddresses'],
    queryFn: async () => {
      const { messages } = await trpc.inbox.messages.list.query({ limit: MESSAGES_FOR_ADDRESSES })
      return Array.from(new Set(messages.map(({ to }) => to)))
    },
  }),
  /** Null if none of the newest messages has a code. */
  newestCode: queryOptions({
    queryKey: ['newestCode'],
    // Not cached: the next time the palette opens, there may be a newer code.
    gcTime: 0,
    staleTime: 0,
    queryFn: async ({ client }) => {
      const { messages } = await trpc.inbox.messages.list.query({ limit: MESSAGES_FOR_CODE })
      for (const { id } of messages) {
        const { codes } = await client.fetchQuery(inboxQueries.message(id))
        if (codes[0]) return codes[0].value
      }
      return null
    },
  }),
}
