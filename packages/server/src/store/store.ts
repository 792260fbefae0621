import type { Attachment, Code, Envelope, Header, Link, MessageSummary, ParseState, Scope } from '@mailhatch/sdk'
import type { Principal } from '../domain/access.ts'
import type { Matchable, MessageFilter } from '../domain/match.ts'
import type { PlanName } from '../domain/plans.ts'
import type { AccountStore } from './accounts.ts'
import type { TeamStore } from './teams.ts'
import type { NewEvent, WebhookStore } from './webhooks.ts'

export type Team = { id: string; name: string; plan: PlanName; retentionDays: number | null; domain: string | null }

export type Mailbox = {
  id: string
  teamId: string
  name: string
  domain: string
  createdAt: number
  updatedAt: number
  /**
   * Created by mail for a domain or name that does not belong to the team. It does not reserve the name, and keeps it only
   * until another mailbox takes it.
   */
  isCaught?: true
}

/** The destination of mail for a custom domain. */
export type Inbox = { team: Team; mailbox: Mailbox | null; hasEndpoints: boolean }

export type ApiKey = {
  id: string
  teamId: string
  name: string
  masked: string
  scopes: Scope[]
  mailboxId: string | null
  mailboxName: string | null
  expiresAt: number | null
  lastUsedAt: number | null
  createdAt: number
  /** The user who created it; null for keys created by the operator. */
  createdBy: string | null
}

/** A key to be stored. Only its hash is stored. */
export type NewKey = Omit<ApiKey, 'mailboxName' | 'lastUsedAt' | 'createdBy'> & {
  hash: string
  createdBy?: string | null
}

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
  envelope: Envelope | null
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

/** A message with the fields that followers show and that filters check. */
export type PassingMessage = StoredSummary & Matchable

/** Rejected mail. `code` is an error code of the API or the status of an SMTP reply. */
export type Rejection = { at: number; from: string; to: string; code: string; reason: string }

/** The messages of a team that a caller may read and asked for. */
export type View = {
  teamId: string
  oldestReceivedAt: number
  filter: MessageFilter
  /** Called before each step of a long search. Throws to cancel it, when the client is gone. */
  proceed?: () => void
}

/** The position of a message in list order. */
export type ListAnchor = { receivedAt: number; position: number }

export type Store = AccountStore &
  TeamStore &
  WebhookStore & {
    /** Adds the team together with its first key, if given. */
    addTeam(
      team: Team & { createdAt: number; isBootstrap: boolean },
      firstKey: NewKey | null,
    ): Promise<'added' | 'taken'>
    /** With `from`, only while the team has that plan. False if nothing changed. */
    updateTeam(id: string, change: Pick<Team, 'plan' | 'retentionDays'>, from?: Team['plan']): Promise<boolean>
    listTeams(): Promise<Team[]>
    findTeam(id: string): Promise<Team | null>
    findBootstrapTeam(): Promise<Team | null>
    /** The team with that domain, and its mailbox with that name, if any. */
    findInbox(where: { domain: string; mailbox: string }): Promise<Inbox | null>
    /** The mailbox with that name on the shared root domain, of any team. */
    findRootInbox(where: {
      domain: string
      mailbox: string
    }): Promise<{ mailbox: Mailbox; hasEndpoints: boolean } | null>

    /**
     * `taken` if another mailbox has, or just had, the name on this domain or in this team; `limit` if the team already has
     * that many; `moved` if `teamDomain` is given and is no longer the team's domain (null for the shared root domain). On
     * its own domain a team can use every name: mailboxes of other teams there were caught and lose the name.
     */
    addMailbox(
      mailbox: Mailbox,
      mailboxesMax: number | null,
      teamDomain?: string | null,
    ): Promise<Mailbox | 'taken' | 'limit' | 'moved'>
    /** Most recently changed first, then by name. */
    listMailboxes(teamId: string): Promise<Mailbox[]>
    /**
     * Turns a caught mailbox into one that the team has chosen, on its own domain or the shared root domain. `taken` if
     * another mailbox has the name there, null if the mailbox or the team's domain has changed meanwhile.
     */
    settleMailbox(
      mailbox: Mailbox,
      where: { domain: string; teamDomain: string | null },
    ): Promise<Mailbox | 'taken' | null>
    /** Also renames its stored messages. `used` if the team already has the name, `taken` if another team has it. */
    renameMailbox(mailbox: Mailbox, change: { name: string; at: number }): Promise<Mailbox | 'used' | 'taken' | null>
    /** Hides a mailbox and its messages at once. `removedMailboxes` lists what remains to be deleted. */
    hideMailbox(where: { teamId: string; id: string }, at: number): Promise<boolean>
    removedMailboxes(): Promise<{ id: string; teamId: string }[]>
    /** Deletes a hidden mailbox if it is empty. */
    dropMailbox(id: string): Promise<void>
    findMailbox(where: { domain: string; name: string }): Promise<Mailbox | null>
    findTeamMailbox(where: { teamId: string } & ({ name: string } | { id: string })): Promise<Mailbox | null>

    /** `limit` if the team already has that many keys; `creator left` if the creating user is no longer in the team. */
    addKey(key: NewKey, keysMax?: number | null): Promise<'added' | 'limit' | 'creator left'>
    findKey(where: { teamId: string; id: string }): Promise<(ApiKey & { hash: string }) | null>
    listKeys(teamId: string | null): Promise<ApiKey[]>
    removeKey(id: string): Promise<boolean>
    /** Replaces the value of the key. False if the old value no longer matches. */
    rotateKey(id: string, change: { oldHash: string; hash: string; masked: string }): Promise<boolean>
    /** Null if the creator of the key has left the team. */
    findPrincipal(keyHash: string): Promise<Principal | null>
    recordKeyUse(uses: Map<string, number>): Promise<void>

    /** Stores a message once per id; a repetition writes nothing. Returns its position. */
    addMessage(
      mailbox: Mailbox,
      message: NewMessage,
      event?: NewEvent | null,
    ): Promise<number | 'duplicate' | 'mailbox gone'>
    /** Whether a message with this id was ever stored, even if it was deleted since. */
    hasSeen(id: string): Promise<boolean>
    /** Returns those that still existed. Remembers their ids, and that they may have objects. */
    removeMessages(teamId: string, positions: number[], at: number): Promise<ObjectName[]>
    expiredPositions(teamId: string, page: { before: number; limit: number }): Promise<number[]>
    positionsIn(mailboxId: string, limit: number): Promise<number[]>
    /** Deleted messages whose objects may still exist, deleted before a time, by id after `after`. */
    objectsLeft(page: { before: number; after: string | null; limit: number }): Promise<ObjectName[]>
    recordObjectsGone(ids: string[]): Promise<void>
    /** Forgets ids deleted so long ago that no announcement repeats them. Returns their number. */
    forgetRemoved(page: { before: number; limit: number }): Promise<number>
    /** Drops blocks of the text index whose messages are all deleted. Returns their number. */
    dropEmptyBlocks(teamId: string, limit: number): Promise<number>
    /** The first match in list order. With `after`, only of messages that became visible later. */
    latestMessage(view: View, after: number | null): Promise<StoredMessage | null>
    /** Newest first. Returns one more than `limit` if there are more. */
    listMessages(view: View, page: { limit: number; before: ListAnchor | null }): Promise<StoredSummary[]>
    /** In order of visibility, from `after` (exclusive) up to `upTo` (inclusive). */
    followMessages(view: View, range: { after: number; upTo: number; limit: number }): Promise<StoredSummary[]>
    findMessage(view: View, id: string): Promise<StoredMessage | null>
    findAnchor(view: View, id: string): Promise<ListAnchor | null>
    newestPosition(teamId: string): Promise<number>
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

    /** Changes after every commit of any process. Null if the database cannot tell cheaply. */
    version(): number | null

    /** Throws when the database cannot be read. */
    check(): Promise<void>
    close(): Promise<void>
  }
