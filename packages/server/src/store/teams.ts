import type { Invite, Role } from './accounts.ts'
import type { Team } from './store.ts'

export type Member = { id: string; email: string; name: string; role: Role; joinedAt: number }

/** With what people want to know of it: whose team, and who asks them in. */
export type ShownInvite = Invite & { teamName: string; invitedByName: string; invitedByEmail: string }

/** Asked for and not yet proven. */
export type PendingDomain = { domain: string; token: string }

/** What a team has of the things that plans limit. */
export type Usage = { mailboxes: number; keys: number; members: number; endpoints: number }

/** What counting looks at. */
export type CountedMessage = {
  position: number
  receivedAt: number
  mailbox: string
  tag: string | null
  from: string
  /** In bytes; null where nobody told. */
  size: number | null
}

/** Of the webhooks that were to be sent, how many endpoints took and how many nobody tries any more. */
export type DeliveryCounts = { delivered: number; failed: number }

export type TeamStore = {
  /** With its first owner, who must have no team yet. */
  addTeamFor(userId: string, team: Team & { createdAt: number }): Promise<'added' | 'has team'>
  renameTeam(id: string, name: string): Promise<void>
  listMembers(teamId: string): Promise<Member[]>
  /** Their keys go with them: the ids of those. A team keeps its last owner. */
  removeMember(where: { teamId: string; userId: string }, at: number): Promise<string[] | 'gone' | 'last owner'>

  /** In place of an earlier one for the same address. */
  addInvite(
    invite: Invite,
    limits: { membersMax: number | null; invitesMax: number },
  ): Promise<'added' | 'limit' | 'member' | 'too many'>
  /** The newest first, without those that have expired. */
  listInvites(where: { teamId: string } | { email: string }, now: number): Promise<ShownInvite[]>
  /** Also one that has expired. */
  findShownInvite(id: string): Promise<ShownInvite | null>
  removeInvite(where: { id: string } & ({ teamId: string } | { email: string })): Promise<boolean>
  acceptInvite(
    invite: Pick<Invite, 'id' | 'teamId' | 'email'>,
    joining: { userId: string; membersMax: number | null; at: number },
  ): Promise<'joined' | 'limit' | 'has team' | 'gone'>

  findPendingDomain(teamId: string): Promise<PendingDomain | null>
  setPendingDomain(teamId: string, pending: PendingDomain | null): Promise<void>
  /**
   * The team's mailboxes follow, except for those that were caught; `domain` is where they live then, and `isCustom` says
   * whether it is the team's own.
   */
  moveToDomain(
    teamId: string,
    move: { domain: string; isCustom: boolean; at: number },
  ): Promise<'moved' | 'domain taken' | 'mailbox taken' | 'mailbox reserved'>

  usageOf(teamId: string): Promise<Usage>
  /** How many were received from one time (inclusive) to another (exclusive). */
  countReceived(teamId: string, range: { from: number; to: number }): Promise<number>
  /** Of the events from one time (inclusive) to another (exclusive); those still on their way are in neither. */
  countDeliveries(teamId: string, range: { from: number; to: number }): Promise<DeliveryCounts>
  /** The newest first, from the one before `before` on. */
  countedMessages(
    teamId: string,
    page: { since: number; before: { receivedAt: number; position: number } | null; limit: number },
  ): Promise<CountedMessage[]>

  findBillingCustomer(teamId: string): Promise<string | null>
  findTeamOfCustomer(customer: string): Promise<Team | null>
  setBillingCustomer(teamId: string, customer: string): Promise<void>
  hasBillingEvent(id: string): Promise<boolean>
  /** Forgets those that are too old to be told again. */
  addBillingEvent(event: { id: string; at: number }, forgetBefore: number): Promise<void>
}
