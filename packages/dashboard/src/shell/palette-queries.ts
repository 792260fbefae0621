import { queryOptions } from '@tanstack/react-query'
import { trpc } from '../api/trpc.ts'
import { inboxQueries } from '../inbox/inbox-queries.ts'

/** Of the newest mails, to whom they went. */
const LOOKED_AT_FOR_ADDRESSES = 50
/** Each is read whole until one has a code, which the first one has as a rule. */
const LOOKED_AT_FOR_CODES = 3

/** Asked for when the palette opens, so that what it does is done at once. */
export const paletteQueries = {
  newestAddresses: queryOptions({
    queryKey: ['newestAddresses'],
    queryFn: async () => {
      const { messages } = await trpc.inbox.messages.list.query({ limit: LOOKED_AT_FOR_ADDRESSES })
      return Array.from(new Set(messages.map(({ to }) => to)))
    },
  }),
  /** Null where none of the newest mails has one. */
  newestCode: queryOptions({
    queryKey: ['newestCode'],
    // Forgotten with the palette: when it opens again, a newer one may be there, and nobody wants the old one.
    gcTime: 0,
    staleTime: 0,
    queryFn: async ({ client }) => {
      const { messages } = await trpc.inbox.messages.list.query({ limit: LOOKED_AT_FOR_CODES })
      for (const { id } of messages) {
        const { codes } = await client.fetchQuery(inboxQueries.message(id))
        if (codes[0]) return codes[0].value
      }
      return null
    },
  }),
}
