import { createContext, useContext } from 'react'
import { UNBATCHED, trpc, type Outputs } from '../api/trpc.ts'
import { inboxQueries } from './inbox-queries.ts'

/** Where the list and the message pane read mail. */
export type MailSource = Pick<typeof inboxQueries, 'message' | 'view'> & {
  /** The first words and the code of each, for the rows of a list. */
  previews: (ids: string[]) => Promise<Outputs['inbox']['messages']['previews']>
  /** The path of the mail's downloads on the server. */
  filesPath: (id: string) => string
  /** Whether it is a message of the team: tests can wait for it, the search finds it, and owners can delete it. */
  isInbox: boolean
}

const INBOX: MailSource = {
  ...inboxQueries,
  previews: (ids) => trpc.inbox.messages.previews.query({ ids }, UNBATCHED),
  filesPath: (id) => `/app/messages/${encodeURIComponent(id)}`,
  isInbox: true,
}

const SourceContext = createContext(INBOX)

export const MailSourceProvider = SourceContext.Provider

export function useMailSource(): MailSource {
  return useContext(SourceContext)
}
