import type { Team } from './store.ts'

export type Role = 'owner' | 'member'

export type User = {
  id: string
  email: string
  name: string
  /** Null until it was shown that the address is theirs. */
  emailCheckedAt: number | null
  teamId: string | null
  role: Role | null
  joinedAt: number | null
  createdAt: number
}

/** What signing in looks at; the hash goes no further. */
export type Account = User & { passwordHash: string | null }

export type NewUser = Omit<Account, 'joinedAt'>

/** Who holds a session. Its team is null before the first one and after leaving one. */
export type SignedIn = {
  sessionId: string
  /** Where the address is unchecked, nothing may be shown or given because of it. */
  user: { id: string; email: string; name: string; createdAt: number; isEmailChecked: boolean }
  team: Team | null
  role: Role | null
}

export type Session = {
  id: string
  userId: string
  createdAt: number
  lastSeenAt: number
  expiresAt: number
  userAgent: string
  address: string
}

/** What a one-time token is good for. */
export type TokenPurpose = 'sign-in' | 'reset' | 'check'

export type OneTimeToken = {
  hash: string
  userId: string
  purpose: TokenPurpose
  expiresAt: number
  createdAt: number
}

/** Who someone is at a provider of sign-in. */
export type Identity = { issuer: string; subject: string }

export type Invite = {
  id: string
  teamId: string
  email: string
  invitedBy: string
  createdAt: number
  expiresAt: number
}

export type AccountStore = {
  /** `taken` when an account has the address. */
  addUser(user: NewUser): Promise<'added' | 'taken'>
  findUser(where: { id: string } | { email: string }): Promise<Account | null>
  listUsers(): Promise<User[]>
  renameUser(id: string, change: { name: string; at: number }): Promise<void>
  /**
   * Ends all sessions but one, and every link that was given out, in the same moment. With `replaces`, only while that is
   * the user's password: else false, and nothing has changed.
   */
  setPassword(
    userId: string,
    change: { passwordHash: string | null; replaces?: string | null; at: number; keepSessionId: string | null },
  ): Promise<boolean>
  /**
   * The address is shown to be this user's. Ends all sessions and every link that was given out. Where nobody had shown
   * it before, the account may have been made by someone else: the keys that it made end too (their ids are returned),
   * and it leaves a team that it made, unless `keepsTeam`. Without a password, an account that was checked before stays
   * as it is.
   */
  claimAccount(
    user: Pick<User, 'id' | 'teamId'>,
    claim: { passwordHash: string | null; keepsTeam: boolean; at: number },
  ): Promise<string[]>

  /**
   * Forgets those that have expired, of whomever, and of too many of this user the least used. With a `passwordHash`,
   * only while that is the user's: else false, and there is no session.
   */
  addSession(session: Session & { hash: string; passwordHash?: string | null }): Promise<boolean>
  findSession(hash: string, now: number): Promise<{ signedIn: SignedIn; lastSeenAt: number } | null>
  recordSessionUse(id: string, use: { lastSeenAt: number; expiresAt: number }): Promise<void>
  /** The last seen first. */
  listSessions(userId: string, now: number): Promise<Session[]>
  removeSession(where: { id: string; userId: string }): Promise<boolean>
  removeSessions(userId: string): Promise<void>

  /** Forgets those that have expired, of whomever. */
  addToken(token: OneTimeToken): Promise<void>
  /** Whose it is, without using it up. */
  findToken(hash: string, purpose: TokenPurpose, now: number): Promise<string | null>
  /** Only the first who brings it, and only in time, gets to know whose it is. */
  takeToken(hash: string, purpose: TokenPurpose, now: number): Promise<string | null>

  findIdentity(identity: Identity): Promise<Account | null>
  /** False when someone else is that identity already. */
  addIdentity(identity: Identity & { id: string; userId: string }): Promise<boolean>

  findInvite(id: string, now: number): Promise<Invite | null>
  /** Of whichever team. */
  hasInvite(email: string, now: number): Promise<boolean>
}
