import type { AttemptReport } from '../domain/attempt.ts'

/** `mailboxId` is null if the mailbox did not exist. */
export type NewAttempt = {
  mailboxId: string | null
  mailbox: string
  tag: string | null
  domain: string
  report: AttemptReport
}

/** Which attempts a caller may see and asked for. */
export type AttemptView = {
  teamId: string
  /** Only attempts that were reported at this time or later. */
  since: number
  /** Of every tag, or domain, if it is null. An empty tag is none. */
  address: { mailbox: string; tag: string | null; domain: string | null } | null
  /** The mailbox to which the key is bound. */
  mailboxId: string | null
}

export type AttemptStore = {
  /** A group that is reported again is stored once. Of a team, only the newest groups are kept. */
  addSmtpAttempts(teamId: string, groupId: string, attempts: NewAttempt[]): Promise<void>
  /** Newest first, after the one with the id `before`: one more than `limit`, if there are more. */
  listSmtpAttempts(view: AttemptView, page: { before: string | null; limit: number }): Promise<AttemptReport[]>
  /** When the newest message up to this position was stored; 0 if there is none. */
  timeAt(teamId: string, position: number): Promise<number>
  /**
   * Merges small groups among the oldest, so that a search has fewer to read. Returns how many groups it has made. A group that is
   * reported again later is stored twice.
   */
  mergeSmtpAttempts(teamId: string, page: { before: number; limit: number }): Promise<number>
  /** Removes at most so many groups. Returns how many it has removed. */
  removeOldSmtpAttempts(teamId: string, page: { before: number; limit: number }): Promise<number>
}
