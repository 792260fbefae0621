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
   * Made by mail for a domain or name that is not the team's: it takes the name from nobody, and has it only as long as
   * nobody else does.
   */
  isCaught?: true
}

/** Where mail for a custom domain goes. */
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
  /** The user who made it; null for keys that the operator made. */
  createdBy: string | null
}

/** A key on its way in; only its hash is kept. */
export type NewKey = Omit<ApiKey, 'mailboxName' | 'lastUsedAt' | 'createdBy'> & {
  hash: string
  createdBy?: string | null
}

/** What both a new and a stored message have beyond what lists show. */
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

/** As on the wire, but for the position in its number form and the time in milliseconds. */
export type StoredSummary = Omit<MessageSummary, 'cursor' | 'receivedAt'> & { position: number; receivedAt: number }

export type StoredMessage = StoredSummary & MessageContent & { objectMailbox: string }

/** What names the objects of a message in the bucket: the mailbox as it was called when the mail came. */
export type ObjectName = { id: string; domain: string; mailbox: string }

/** A message on its way in; everything that is computed from the mail is already computed. */
export type NewMessage = Omit<StoredSummary, 'position' | 'mailboxId' | 'mailbox' | 'attachmentCount'> &
  MessageContent & { objectMailbox: string } & Omit<Matchable, 'mailboxId' | 'mailbox'>

/** A message as it passes by a reader: what to show of it and what filters look at. */
export type PassingMessage = StoredSummary & Matchable

/** Mail that was not taken. `code` is an error code of the API, or the status of an SMTP reply. */
export type Rejection = { at: number; from: string; to: string; code: string; reason: string }

/** What one caller may see of a team, and what of that it asks for. */
export type View = {
  teamId: string
  oldestReceivedAt: number
  filter: MessageFilter
  /** Called before each step of a long search; throws to end it, when nobody waits for it any more. */
  proceed?: () => void
}

/** The place of a message in the order that lists show. */
export type ListAnchor = { receivedAt: number; position: number }

export type Store = AccountStore &
  TeamStore &
  WebhookStore & {
    /** With its first key, if there is one to be, or not at all. */
    addTeam(
      team: Team & { createdAt: number; isBootstrap: boolean },
      firstKey: NewKey | null,
    ): Promise<'added' | 'taken'>
    /** With `from`, only while that is its plan; false when nothing was changed. */
    updateTeam(id: string, change: Pick<Team, 'plan' | 'retentionDays'>, from?: Team['plan']): Promise<boolean>
    listTeams(): Promise<Team[]>
    findTeam(id: string): Promise<Team | null>
    findBootstrapTeam(): Promise<Team | null>
    /** The team that has the domain, and its mailbox of that name if there is one. */
    findInbox(where: { domain: string; mailbox: string }): Promise<Inbox | null>
    /** The mailbox that has the name on the shared root domain, whoever's it is. */
    findRootInbox(where: {
      domain: string
      mailbox: string
    }): Promise<{ mailbox: Mailbox; hasEndpoints: boolean } | null>

    /**
     * `taken` when another mailbox has, or just had, the name on this domain or in this team; `limit` when the team has
     * that many; `moved` when its own domain (null for the shared root) is another than `teamDomain`, where that is given.
     * On a domain of its own a team has every name: another team's mailbox there was caught, and gives way.
     */
    addMailbox(
      mailbox: Mailbox,
      mailboxesMax: number | null,
      teamDomain?: string | null,
    ): Promise<Mailbox | 'taken' | 'limit' | 'moved'>
    /** The last changed first, then by name. */
    listMailboxes(teamId: string): Promise<Mailbox[]>
    /**
     * A mailbox that was caught becomes one that the team has chosen, on its own domain or the shared root; `taken` when
     * another has the name there, null when it or the team's domain is not as it was any more.
     */
    settleMailbox(
      mailbox: Mailbox,
      where: { domain: string; teamDomain: string | null },
    ): Promise<Mailbox | 'taken' | null>
    /** The names of its stored messages follow; `used` when the team has such a mailbox, `taken` when another team has. */
    renameMailbox(mailbox: Mailbox, change: { name: string; at: number }): Promise<Mailbox | 'used' | 'taken' | null>
    /** Hides a mailbox and all that is in it at once; `removedMailboxes` tells what is still to be removed. */
    hideMailbox(where: { teamId: string; id: string }, at: number): Promise<boolean>
    removedMailboxes(): Promise<{ id: string; teamId: string }[]>
    /** Once it is empty. */
    dropMailbox(id: string): Promise<void>
    findMailbox(where: { domain: string; name: string }): Promise<Mailbox | null>
    findTeamMailbox(where: { teamId: string } & ({ name: string } | { id: string })): Promise<Mailbox | null>

    /** `limit` when the team has that many; `maker gone` when the user who makes it is not in the team any more. */
    addKey(key: NewKey, keysMax?: number | null): Promise<'added' | 'limit' | 'maker gone'>
    findKey(where: { teamId: string; id: string }): Promise<(ApiKey & { hash: string }) | null>
    listKeys(teamId: string | null): Promise<ApiKey[]>
    removeKey(id: string): Promise<boolean>
    /** Gives the key another value; false when the old one is no longer its value. */
    rotateKey(id: string, change: { oldHash: string; hash: string; masked: string }): Promise<boolean>
    /** None for a key whose maker has left the team. */
    findPrincipal(keyHash: string): Promise<Principal | null>
    recordKeyUse(uses: Map<string, number>): Promise<void>

    /** Once per id, whoever announces it: the second time nothing is written. Returns its position. */
    addMessage(
      mailbox: Mailbox,
      message: NewMessage,
      event?: NewEvent | null,
    ): Promise<number | 'duplicate' | 'mailbox gone'>
    /** Whether a message of this id was stored, and perhaps removed again. */
    hasSeen(id: string): Promise<boolean>
    /** Those of the given that were still there; their ids are remembered, and that they may have objects. */
    removeMessages(teamId: string, positions: number[], at: number): Promise<ObjectName[]>
    expiredPositions(teamId: string, page: { before: number; limit: number }): Promise<number[]>
    positionsIn(mailboxId: string, limit: number): Promise<number[]>
    /** Of messages removed before a time, whose objects may still be there; by id, from the one after `after` on. */
    objectsLeft(page: { before: number; after: string | null; limit: number }): Promise<ObjectName[]>
    recordObjectsGone(ids: string[]): Promise<void>
    /** Ids whose removal is so long ago that nobody announces them any more; how many there were. */
    forgetRemoved(page: { before: number; limit: number }): Promise<number>
    /** Of the text index, those whose messages are all gone; how many there were. */
    dropEmptyBlocks(teamId: string, limit: number): Promise<number>
    /** The newest match in the order of lists; with `after`, of those that became visible later. */
    latestMessage(view: View, after: number | null): Promise<StoredMessage | null>
    /** Newest first; one more than `limit` when there are more. */
    listMessages(view: View, page: { limit: number; before: ListAnchor | null }): Promise<StoredSummary[]>
    /** In order of visibility, from `after` (exclusive) up to `upTo` (inclusive). */
    followMessages(view: View, range: { after: number; upTo: number; limit: number }): Promise<StoredSummary[]>
    findMessage(view: View, id: string): Promise<StoredMessage | null>
    findAnchor(view: View, id: string): Promise<ListAnchor | null>
    newestPosition(teamId: string): Promise<number>
    newestPositions(teamIds: string[]): Promise<{ teamId: string; position: number }[]>
    /** Nothing of the view lies before it, judged by mailbox and `since` alone; null when nothing lies anywhere. */
    firstPosition(view: View): Promise<number | null>
    /** Of the whole team, or of the one mailbox that the view is bound to. */
    countMessages(view: View): Promise<number>
    /** What passed after a position, whoever may see it, with bodies and headers only when they are needed. */
    passingMessages(
      teamId: string,
      range: { after: number; limit: number; withContent: boolean },
    ): Promise<PassingMessage[]>

    /** The newest of a view that became visible after a position, with bodies and headers only when they are needed. */
    arrivals(view: View, page: { after: number; limit: number; withContent: boolean }): Promise<PassingMessage[]>

    /** Each for the team that has the domain; only the newest are kept. */
    addRejections(rejections: (Rejection & { domain: string })[]): Promise<void>
    /** Newest first; with null, those of all teams. */
    listRejections(teamId: string | null, page: { since: number; limit: number }): Promise<Rejection[]>

    /** Differs after every commit, of whatever process; null when the database cannot tell cheaply. */
    version(): number | null

    /** Throws when the database cannot be read. */
    check(): Promise<void>
    close(): Promise<void>
  }
