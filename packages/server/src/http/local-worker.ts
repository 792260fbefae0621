import type { Announcement } from '@mailhatch/sdk'
import type { Recipient } from '../domain/address.ts'
import type { MessageLocation } from '../domain/object-keys.ts'

/** What the API uses of a worker in the same process. */
export type LocalWorker = {
  unrouted: UnroutedMailList
  /** Null if the worker announces no mail. */
  others: OtherMail | null
  /** Receives mail that did not come by SMTP like external mail. Resolves to the ids of its messages, one per recipient. */
  receiveMail: (mail: OwnMail) => Promise<string[]>
  /**
   * Resolves when all mail that was accepted before this call, or that with these ids, was announced once, at the latest after this
   * time. Unless that failed, or no team gets it, it is a message then.
   */
  caughtUp: (withinMs: number, ids?: string[]) => Promise<void>
  /** Where apps send their mail. Null if unknown. */
  smtp: SmtpAddress | null
}

export type SmtpAddress = { host: string; port: number }

export type OwnMail = {
  from: string
  recipients: Recipient[]
  content: Uint8Array
  receivedVia: 'sample' | 'compat'
  username?: string
}

/** Mail that belongs to no team: stored by the worker, refused by the API. */
export type UnroutedMail = {
  id: string
  domain: string
  mailbox: string
  from: string
  to: string
  subject: string
  receivedAt: string
  attempts: number
  lastError: string | null
  /** Why the mail was set aside. Null if it was not. */
  setAside: string | null
}

export type UnroutedMailList = {
  /** `withoutOthers`: leaves out what `OtherMail` lists. */
  list(page: {
    cursor: string | null
    limit: number
    withoutOthers: boolean
  }): Promise<{ mails: UnroutedMail[]; cursor: string | null }>
  /** Throws if the API does not accept the mail. */
  retry(mail: Pick<UnroutedMail, 'id' | 'domain' | 'mailbox'>): Promise<void>
}

/** Mail for addresses that no team claims. */
export type OtherMail = {
  /** From memory. `version` changes with every change; `domains` are those with the most mail. */
  summary(): { count: number; version: number; domains: { domain: string; count: number }[] }
  /** Newest first, starting after the mail with the id `before`. Large mail has no body here. */
  list(page: { before: string | null; limit: number }): Promise<{ mails: Announcement[]; hasMore: boolean }>
  /** The mail as it would be announced, above `bytesMax` without its body. Null if it is gone, or belongs to a team by now. */
  read(id: string, bytesMax?: number): Promise<Announcement | null>
  /** Announces the mail of a domain again, for a limited time and without mail that `mayMove` excludes. */
  moveIn(
    domain: string,
    mayMove: (mail: MessageLocation) => Promise<boolean>,
  ): Promise<{ moved: number; left: number; isDone: boolean }>
}
