import type { View } from './messages.ts'

/** A state of a team's marks, to ask for later changes. */
export type MarkState = { version: number; readThrough: number }

export type ChangedMark = { id: string; isRead: boolean }

/** The newest messages of a mailbox: how many there are, and how many of them are not read. */
export type MailboxCount = { total: number; unread: number }

/** Which messages a team has read. A message that one member opens is read for all. */
export type ReadMarkStore = {
  /** Returns how many changed. */
  markMessages(teamId: string, positions: number[], isRead: boolean): Promise<number>
  /** Marks all messages up to a position as read, whatever their number, in one small transaction. */
  markAllRead(teamId: string, upTo: number): Promise<void>
  /**
   * Moves the position up to which messages are read by a step, at most to `upTo`, if few of those that it passes are
   * unread; these get marks. No message becomes read or unread. False if it did not move.
   */
  advanceReadThrough(teamId: string, by: { step: number; upTo: number; unreadMax: number }): Promise<boolean>
  /** Those of these positions whose messages are read. */
  readAmong(teamId: string, positions: number[]): Promise<number[]>
  markState(teamId: string): Promise<MarkState>
  /** Messages marked after a version, oldest change first. What `markAllRead` changes is not included. */
  changedMarks(teamId: string, page: { after: number; limit: number }): Promise<ChangedMark[]>
  /** Of the whole team, whatever the filter of the view. */
  countUnread(view: Pick<View, 'teamId' | 'oldestReceivedAt'>): Promise<number>
  /** Counts at most `limit` messages, the newest ones. */
  countInMailbox(mailbox: { teamId: string; id: string }, page: { since: number; limit: number }): Promise<MailboxCount>
}
