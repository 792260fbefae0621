import type { Attachment, Code, Header, Link, MessageSummary, ParseState } from '@mailhatch/sdk'
import type { NamedEnvelope } from '../domain/envelope.ts'
import type { Matchable, MessageFilter } from '../domain/match.ts'
import type { SearchWords } from '../domain/search-words.ts'
import type { Destination } from './mailboxes.ts'
import type { NewEvent } from './webhooks.ts'

/** What a new and a stored message have in addition to a list entry. */
type MessageContent = {
  domain: string
  tenantSubdomain: string | null
  storedAt: number
  headers: Header[]
  html: string | null
  text: string | null
  codes: Code[]
  links: Link[]
  attachments: Attachment[]
  envelope: NamedEnvelope | null
  parse: ParseState
}

/** As on the wire, but with the position as a number and the time in milliseconds. */
export type StoredSummary = Omit<MessageSummary, 'cursor' | 'receivedAt'> & { position: number; receivedAt: number }

export type StoredMessage = StoredSummary & MessageContent & { objectMailbox: string }

/** Names the objects of a message in the bucket. The mailbox has the name it had when the mail arrived. */
export type ObjectName = { id: string; domain: string; mailbox: string }

/** A message to be stored. Everything derived from the mail is already computed. */
export type NewMessage = Omit<StoredSummary, 'position' | 'mailboxId' | 'mailbox' | 'attachmentCount'> &
  MessageContent & { objectMailbox: string } & Omit<Matchable, 'mailboxId' | 'mailbox'>

/** The beginning of the text, or of the HTML if there is no text. */
export type Beginning = { id: string; text: string | null; html: string | null; codes: Code[] }

/** A message with the fields that followers show and that filters check. */
export type PassingMessage = StoredSummary & Matchable

/** A message that this process has just stored: what a read would return, and what filters check. */
export type ArrivedMessage = StoredMessage & Matchable

/** Rejected mail. `code` is an error code of the API or the status of an SMTP reply. */
export type Rejection = { at: number; from: string; to: string; code: string; reason: string }

/** The messages of a team that a caller may read and asked for. */
export type View = {
  teamId: string
  oldestReceivedAt: number
  filter: MessageFilter
  words?: SearchWords
  /** Called before each step of a long search or a wait. Throws if the client is gone. */
  proceed?: () => void
}

/** The position of a message in list order. */
export type ListAnchor = { receivedAt: number; position: number }

/** `count` includes messages that are expired but not deleted yet. */
export type MessageState = { newestPosition: number; count: number; markVersion: number; tagVersion: number }

/** Messages, and what was rejected. */
export type MessageStore = {
  /**
   * Stores a message once per id; a repetition writes nothing. Returns its position. `mailbox gone` if the mailbox was changed or
   * removed, or if the team does not receive mail for the address any more.
   */
  addMessage(
    mailbox: Destination,
    message: NewMessage,
    event?: NewEvent | null,
  ): Promise<number | 'duplicate' | 'mailbox gone'>
  /**
   * Adds the mailbox, and stores its first message: on SQLite in one transaction. `teamDomain` is as in `addMailbox`. `mailbox gone`
   * if the mailbox could not be added, or is gone again.
   */
  addFirstMessage(
    mailbox: Destination,
    teamDomain: string | null | undefined,
    message: NewMessage,
    event?: NewEvent | null,
  ): Promise<number | 'duplicate' | 'mailbox gone'>
  /** Whether the team ever had a message with this id, even if it was deleted since. */
  hasSeen(where: { teamId: string; id: string }): Promise<boolean>
  /** Returns those that still existed. Remembers their ids, and that they may have objects. */
  removeMessages(teamId: string, positions: number[], at: number): Promise<ObjectName[]>
  expiredPositions(teamId: string, page: { before: number; limit: number }): Promise<number[]>
  positionsIn(mailbox: { teamId: string; id: string }, limit: number): Promise<number[]>
  /** Teams, also deleted ones, with messages that were deleted before a time and whose objects may still exist. */
  teamsWithObjectsLeft(before: number): Promise<string[]>
  /** Teams, also deleted ones, with ids of deleted messages. */
  teamsWithRemoved(): Promise<string[]>
  /** Deleted messages whose objects may still exist, deleted before a time, by id after `after`. */
  objectsLeft(teamId: string, page: { before: number; after: string | null; limit: number }): Promise<ObjectName[]>
  recordObjectsGone(teamId: string, ids: string[]): Promise<void>
  /** Forgets ids deleted so long ago that no announcement repeats them. Returns their number. */
  forgetRemoved(teamId: string, page: { before: number; limit: number }): Promise<number>
  /** Drops blocks of the text index whose messages are all deleted. Returns their number. */
  dropEmptyBlocks(teamId: string, limit: number): Promise<number>
  /** The first match in list order. With `after`, only of messages that became visible later. */
  latestMessage(view: View, after: number | null): Promise<StoredMessage | null>
  /** Newest first. Returns one more than `limit` if there are more. */
  listMessages(view: View, page: { limit: number; before: ListAnchor | null }): Promise<StoredSummary[]>
  /** In order of visibility, from `after` (exclusive) up to `upTo` (inclusive). */
  followMessages(view: View, range: { after: number; upTo: number; limit: number }): Promise<StoredSummary[]>
  findMessage(view: View, id: string): Promise<StoredMessage | null>
  /** How the bodies of these messages begin, in any order. Ids outside the view are left out; its filter is ignored. */
  beginnings(view: View, ids: string[]): Promise<Beginning[]>
  findAnchor(view: View, id: string): Promise<ListAnchor | null>
  /** Those of these positions that have a message. */
  existingPositions(teamId: string, positions: number[]): Promise<number[]>
  /** The messages of the mail that an id belongs to, by id. The id itself need not exist. */
  findCopies(view: View, id: string): Promise<StoredSummary[]>
  newestPosition(teamId: string): Promise<number>
  /** In one statement. If nothing of it has changed, the same messages are visible, with the same marks and set tags. */
  messageState(teamId: string): Promise<MessageState>
  newestPositions(teamIds: string[]): Promise<{ teamId: string; position: number }[]>
  /** No message of the view has a smaller position, judging only by mailbox and `since`. Null if there is none. */
  firstPosition(view: View): Promise<number | null>
  /** Of the whole team, or of the mailbox that the view is restricted to. */
  countMessages(view: View): Promise<number>
  /** All messages of the team after a position, with bodies and headers only if requested. */
  passingMessages(
    teamId: string,
    range: { after: number; limit: number; withContent: boolean },
  ): Promise<PassingMessage[]>

  /** The newest messages of a view after a position, with bodies and headers only if requested. */
  arrivals(view: View, page: { after: number; limit: number; withContent: boolean }): Promise<PassingMessage[]>

  /** Each belongs to the team with its domain. Only the newest are kept. */
  addRejections(rejections: (Rejection & { domain: string })[]): Promise<void>
  /** Newest first. Null for all teams. */
  listRejections(teamId: string | null, page: { since: number; limit: number }): Promise<Rejection[]>
}
