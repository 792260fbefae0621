import type { Invite, Role } from './accounts.ts'
import type { Team } from './mailboxes.ts'

export type Member = { id: string; email: string; name: string; role: Role; joinedAt: number }

/** An invite with what its recipient needs to know: the team and the inviter. */
export type ShownInvite = Invite & { teamName: string; invitedByName: string; invitedByEmail: string }

/** Requested but not proved yet. */
export type PendingDomain = { domain: string; token: string }

/** What a team uses of its plan's limits. */
export type Usage = { mailboxes: number; keys: number; members: number; endpoints: number }

/** What metrics count. */
export type CountedMessage = {
  position: number
  receivedAt: number
  mailbox: string
  tag: string | null
  from: string
  /** In bytes; null if unknown. */
  size: number | null
}

/** Webhook events by outcome: accepted by the endpoint, or failed for good. */
export type DeliveryCounts = { delivered: number; failed: number }

export type TeamStore = {
  /** Adds a team with its first owner, who must have no team yet. */
  addTeamFor(userId: string, team: Team & { createdAt: number }): Promise<'added' | 'has team'>
  renameTeam(id: string, name: string): Promise<void>
  /**
   * The first step of deleting a team: it loses its members, keys, invites, domains and endpoints at once, and can receive
   * nothing on its own domain or a caught one. Its mailboxes and their messages remain. Returns how many members and keys it had.
   */
  closeTeam(id: string, at: number): Promise<{ members: number; keys: number }>
  /** The last step: deletes a team without mailboxes and endpoints. False if some are left. */
  dropTeam(id: string): Promise<boolean>
  listMembers(teamId: string): Promise<Member[]>
  /** Also deletes the member's keys and returns their ids. A team keeps its last owner. */
  removeMember(where: { teamId: string; userId: string }, at: number): Promise<string[] | 'gone' | 'last owner'>

  /** Replaces an earlier invite for the same address. */
  addInvite(
    invite: Invite,
    limits: { membersMax: number | null; invitesMax: number },
  ): Promise<'added' | 'limit' | 'member' | 'too many'>
  /** Newest first, without expired ones. */
  listInvites(where: { teamId: string } | { email: string }, now: number): Promise<ShownInvite[]>
  /** Includes expired ones. */
  findShownInvite(whose: { id: string; email: string }): Promise<ShownInvite | null>
  removeInvite(where: { id: string } & ({ teamId: string } | { email: string })): Promise<boolean>
  acceptInvite(
    invite: Pick<Invite, 'id' | 'teamId' | 'email'>,
    joining: { userId: string; membersMax: number | null; at: number },
  ): Promise<'joined' | 'limit' | 'has team' | 'gone'>

  findPendingDomain(teamId: string): Promise<PendingDomain | null>
  setPendingDomain(teamId: string, pending: PendingDomain | null): Promise<void>
  /**
   * Moves the team and its mailboxes, except caught ones, to `domain`. `isCustom` says whether it is the team's own
   * domain.
   */
  moveToDomain(
    teamId: string,
    move: { domain: string; isCustom: boolean; at: number },
  ): Promise<'moved' | 'domain taken' | 'mailbox taken' | 'mailbox reserved'>

  usageOf(teamId: string): Promise<Usage>
  /** Messages received from one time (inclusive) to another (exclusive). */
  countReceived(teamId: string, range: { from: number; to: number }): Promise<number>
  /** Events from one time (inclusive) to another (exclusive), without pending ones. */
  countDeliveries(teamId: string, range: { from: number; to: number }): Promise<DeliveryCounts>
  /** Newest first, starting after `before`. */
  countedMessages(
    teamId: string,
    page: { since: number; before: { receivedAt: number; position: number } | null; limit: number },
  ): Promise<CountedMessage[]>

  findBillingCustomer(teamId: string): Promise<string | null>
  findTeamOfCustomer(customer: string): Promise<Team | null>
  setBillingCustomer(teamId: string, customer: string): Promise<void>
  hasBillingEvent(id: string): Promise<boolean>
  /** Also forgets events that are too old to be repeated. */
  addBillingEvent(event: { id: string; at: number }, forgetBefore: number): Promise<void>
}
