import type { AccountStore } from './accounts.ts'
import type { AttemptStore } from './attempts.ts'
import type { CaughtDomainStore } from './caught-domains.ts'
import type { MailboxStore } from './mailboxes.ts'
import type { MessageTagStore } from './message-tags.ts'
import type { MessageStore } from './messages.ts'
import type { ReadMarkStore } from './read-marks.ts'
import type { ScenarioStore } from './scenarios.ts'
import type { TeamStore } from './teams.ts'
import type { WebhookStore } from './webhooks.ts'

/** The port of the database, by subject. */
export type Store = MailboxStore &
  MessageStore &
  ReadMarkStore &
  MessageTagStore &
  AccountStore &
  TeamStore &
  CaughtDomainStore &
  ScenarioStore &
  AttemptStore &
  WebhookStore & {
    /** Throws when the database cannot be read. */
    check(): Promise<void>
    /** The size of the database on disk. May be a minute old. */
    sizeBytes(): Promise<number>
    close(): Promise<void>
  }
