import type { Attachment, Code, Envelope, Header, Link, MessageSummary, ParseState, Scope } from '@mailhatch/sdk'
import type { Principal } from '../domain/access.ts'
import type { Matchable, MessageFilter } from '../domain/match.ts'
import type { PlanName } from '../domain/plans.ts'

export type Team = { id: string; name: string; plan: PlanName; retentionDays: number | null; domain: string | null }

export type Mailbox = {
  id: string
  teamId: string
  name: string
  domain: string
  createdAt: number
  updatedAt: number
}

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
}

/** A key on its way in; only its hash is kept. */
export type NewKey = Omit<ApiKey, 'mailboxName' | 'lastUsedAt'> & { hash: string }

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

export type StoredMessage = StoredSummary & MessageContent

/** A message on its way in; everything that is computed from the mail is already computed. */
export type NewMessage = Omit<StoredSummary, 'position' | 'mailboxId' | 'mailbox' | 'attachmentCount'> &
  MessageContent &
  Omit<Matchable, 'mailboxId' | 'mailbox'>

/** A message as it passes by a reader: what to show of it and what filters look at. */
export type PassingMessage = StoredSummary & Matchable

/** What one caller may see of a team, and what of that it asks for. */
export type View = { teamId: string; oldestReceivedAt: number; filter: MessageFilter }

/** The place of a message in the order that lists show. */
export type Anchor = { receivedAt: number; position: number }

export type Store = {
  /** With its first key, if there is one to be, or not at all. */
  addTeam(team: Team & { createdAt: number; isBootstrap: boolean }, firstKey: NewKey | null): Promise<'added' | 'taken'>
  listTeams(): Promise<Team[]>
  findTeam(id: string): Promise<Team | null>
  findBootstrapTeam(): Promise<Team | null>
  /** The team that has the domain, and its mailbox of that name if there is one. */
  findInbox(where: { domain: string; mailbox: string }): Promise<{ team: Team; mailbox: Mailbox | null } | null>

  /** `taken` when another mailbox has the name on this domain or in this team. */
  addMailbox(mailbox: Mailbox): Promise<Mailbox | 'taken'>
  findMailbox(where: { domain: string; name: string }): Promise<Mailbox | null>
  findTeamMailbox(where: { teamId: string; name: string }): Promise<Mailbox | null>

  addKey(key: NewKey): Promise<void>
  listKeys(teamId: string | null): Promise<ApiKey[]>
  removeKey(id: string): Promise<boolean>
  findPrincipal(keyHash: string): Promise<Principal | null>
  recordKeyUse(uses: Map<string, number>): Promise<void>

  /** Once per id, whoever announces it: the second time nothing is written. Returns its position. */
  addMessage(mailbox: Mailbox, message: NewMessage): Promise<number | 'duplicate'>
  /** The newest match in the order of lists; with `after`, of those that became visible later. */
  latestMessage(view: View, after: number | null): Promise<StoredMessage | null>
  /** Newest first; one more than `limit` when there are more. */
  listMessages(view: View, page: { limit: number; before: Anchor | null }): Promise<StoredSummary[]>
  /** In order of visibility, from `after` (exclusive) up to `upTo` (inclusive). */
  followMessages(view: View, range: { after: number; upTo: number; limit: number }): Promise<StoredSummary[]>
  findMessage(view: View, id: string): Promise<StoredMessage | null>
  findAnchor(view: View, id: string): Promise<Anchor | null>
  newestPosition(teamId: string): Promise<number>
  /** Of the whole team, or of the one mailbox that the view is bound to. */
  countMessages(view: View): Promise<number>
  /** What passed after a position, whoever may see it, with bodies and headers only when they are needed. */
  passingMessages(
    teamId: string,
    range: { after: number; limit: number; withContent: boolean },
  ): Promise<PassingMessage[]>

  /** The newest of a view that became visible after a position, with all that filters look at. */
  arrivals(view: View, page: { after: number; limit: number }): Promise<PassingMessage[]>

  /** Differs after every commit, of whatever process; null when the database cannot tell cheaply. */
  version(): number | null

  /** Throws when the database cannot be read. */
  check(): Promise<void>
  close(): Promise<void>
}
