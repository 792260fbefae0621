import type { Scope } from '@mailhatch/sdk'
import type { Principal } from '../domain/access.ts'
import type { PlanName } from '../domain/plans.ts'

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

/** Why a team receives the mail for an address: it has the domain, or the name on the root domain, or no team has either. */
export type HeldBy = 'domain' | 'root name' | 'catch-all'

/** Where a message goes. With `heldBy`, it is stored only while that is still so. */
export type Destination = Mailbox & { heldBy?: HeldBy }

/** The destination of mail for a custom domain. `hasFormerHolder` if other teams received its mail before. */
export type Inbox = { teamId: string; mailbox: Mailbox | null; hasEndpoints: boolean; hasFormerHolder: boolean }

/** The destination of mail on the shared root domain. */
export type RootInbox = { mailbox: Mailbox; hasEndpoints: boolean; hasFormerHolder: boolean }

/** The destination of mail that a team catches. Unless `isRemembered`, it is time to remember it as a holder of the address. */
export type CaughtInbox = Omit<Inbox, 'teamId'> & { isRemembered: boolean }

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

/** Teams, their mailboxes and keys. */
export type MailboxStore = {
  /** Adds the team together with its first key, if given. */
  addTeam(team: Team & { createdAt: number; isBootstrap: boolean }, firstKey: NewKey | null): Promise<'added' | 'taken'>
  /** With `from`, only while the team has that plan. False if nothing changed. */
  updateTeam(id: string, change: Pick<Team, 'plan' | 'retentionDays'>, from?: Team['plan']): Promise<boolean>
  listTeams(): Promise<Team[]>
  findTeam(id: string): Promise<Team | null>
  findBootstrapTeam(): Promise<Team | null>
  /** The team with that domain, and its mailbox with that name, if any. If the domain changes hands meanwhile, the mailbox may be missing. */
  findInbox(where: { domain: string; mailbox: string }): Promise<Inbox | null>
  /** The team with that domain, and the ids of its mailboxes by name, of those that exist. */
  findInboxes(where: {
    domain: string
    mailboxes: string[]
  }): Promise<{ teamId: string; mailboxIds: Map<string, string> } | null>
  /** The mailbox with that name on the shared root domain, of any team. */
  findRootInbox(where: { domain: string; mailbox: string }): Promise<RootInbox | null>
  /** The mailbox with that name of the team that receives the domain's mail until another claims it. Null without that team. */
  findCaughtInbox(where: { teamId: string; domain: string; mailbox: string; at: number }): Promise<CaughtInbox | null>
  /** Teams that received mail for the address before. Its announcement may be repeated. */
  formerHolders(where: { domain: string; mailbox: string }): Promise<string[]>
  /** Remembers that a team receives mail for an address that is not its own. */
  rememberCatch(where: { domain: string; mailbox: string; teamId: string }, at: number): Promise<void>
  /** Forgets holders that left so long ago that no announcement repeats their mail. */
  forgetHolders(before: number): Promise<void>

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
    where: { domain: string; teamDomain: string | null; at: number },
  ): Promise<Mailbox | 'taken' | null>
  /**
   * Also renames its stored messages. A caught mailbox becomes one that the team has chosen. `used` if the team already has the
   * name, `taken` if another team has it.
   */
  renameMailbox(mailbox: Mailbox, change: { name: string; at: number }): Promise<Mailbox | 'used' | 'taken' | null>
  /** Hides a mailbox and its messages at once. `removedMailboxes` lists what remains to be deleted. */
  hideMailbox(where: { teamId: string; id: string }, at: number): Promise<boolean>
  removedMailboxes(): Promise<{ id: string; teamId: string }[]>
  /** Deletes a hidden mailbox if it is empty. */
  dropMailbox(where: { teamId: string; id: string }): Promise<void>
  findMailbox(where: { domain: string; name: string }): Promise<Mailbox | null>
  findTeamMailbox(where: { teamId: string } & ({ name: string } | { id: string })): Promise<Mailbox | null>

  /**
   * `limit` if the team already has that many keys; `creator left` if the creating user is no longer in the team; `taken` if a
   * key of any team has this value.
   */
  addKey(key: NewKey, keysMax?: number | null): Promise<'added' | 'limit' | 'creator left' | 'taken'>
  findKey(where: { teamId: string; id: string }): Promise<(ApiKey & { hash: string }) | null>
  listKeys(teamId: string | null): Promise<ApiKey[]>
  removeKey(id: string): Promise<boolean>
  /** Replaces the value of the key. False if the old value no longer matches. */
  rotateKey(id: string, change: { oldHash: string; hash: string; masked: string }): Promise<boolean>
  /** Null if the creator of the key has left the team. */
  findPrincipal(keyHash: string): Promise<Principal | null>
  recordKeyUse(uses: Map<string, number>): Promise<void>
}
