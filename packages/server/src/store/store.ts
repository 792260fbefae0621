import type { AccountStore } from './accounts.ts'
import type { MailboxStore } from './mailboxes.ts'
import type { MessageStore } from './messages.ts'
import type { TeamStore } from './teams.ts'
import type { WebhookStore } from './webhooks.ts'

/** The port of the database, by subject. */
export type Store = MailboxStore &
  MessageStore &
  AccountStore &
  TeamStore &
  WebhookStore & {
    /** Changes after every commit of any process. Null if the database cannot tell cheaply. */
    version(): number | null

    /** Throws when the database cannot be read. */
    check(): Promise<void>
    close(): Promise<void>
  }
