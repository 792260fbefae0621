import { createContext, useContext } from 'react'
import { inboxQueries } from './inbox-queries.ts'

/** Where the message pane reads a mail. */
export type MailSource = Pick<typeof inboxQueries, 'message' | 'view'> & {
  /** The path of the mail's downloads on the server. */
  filesPath: (id: string) => string
  /** Whether it is a message of the team: tests can wait for it, the search finds it, and owners can delete it. */
  isInbox: boolean
}

const INBOX: MailSource = {
  ...inboxQueries,
  filesPath: (id) => `/app/messages/${encodeURIComponent(id)}`,
  isInbox: true,
}

const SourceContext = createContext(INBOX)

export const MailSourceProvider = SourceContext.Provider

export function useMailSource(): MailSource {
  return useContext(SourceContext)
}
