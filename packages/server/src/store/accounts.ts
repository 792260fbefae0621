import type { Team } from './mailboxes.ts'

export type Role = 'owner' | 'member'

export type User = {
  id: string
  email: string
  name: string
  /** Null until the user has proved that the address is theirs. */
  emailCheckedAt: number | null
  teamId: string | null
  role: Role | null
  joinedAt: number | null
  createdAt: number
}

/** What sign-in needs. The hash is not passed on. */
export type Account = User & { passwordHash: string | null }

export type NewUser = Omit<Account, 'joinedAt'>

/** The user of a session. The team is null before they join one and after they leave it. */
export type SignedIn = {
  sessionId: string
  /** If the address is unchecked, it must not grant or reveal anything. */
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

/** What a one-time token is for. */
export type TokenPurpose = 'sign-in' | 'reset' | 'check'

export type OneTimeToken = {
  hash: string
  userId: string
  purpose: TokenPurpose
  expiresAt: number
  createdAt: number
}

/** The identity of a user at a sign-in provider. */
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
  /** `taken` if another account has the address. */
  addUser(user: NewUser): Promise<'added' | 'taken'>
  findUser(where: { id: string } | { email: string }): Promise<Account | null>
  listUsers(): Promise<User[]>
  /**
   * Also deletes the user's sessions, links, invites and keys; returns the ids of the keys. A team keeps its last owner.
   */
  removeUser(user: Pick<User, 'id' | 'teamId'>): Promise<string[] | 'gone' | 'last owner'>
  renameUser(id: string, change: { name: string; at: number }): Promise<void>
  /**
   * Also ends all sessions but one and invalidates all links, in the same transaction. With `replaces`, only while that is
   * the user's password; otherwise returns false and changes nothing.
   */
  setPassword(
    userId: string,
    change: { passwordHash: string | null; replaces?: string | null; at: number; keepSessionId: string | null },
  ): Promise<boolean>
  /**
   * The user has proved that the address is theirs. Ends all sessions and invalidates all links. If the address was
   * unchecked before, someone else may have created the account: then the keys it created are deleted too (their ids are
   * returned), and it leaves a team that it owns, unless `keepsTeam`. Without a password, an account that was already
   * checked stays unchanged.
   */
  claimAccount(
    user: Pick<User, 'id' | 'teamId'>,
    claim: { passwordHash: string | null; keepsTeam: boolean; at: number },
  ): Promise<string[]>

  /**
   * Deletes expired sessions of all users, and the least recently used ones if this user has too many. With a
   * `passwordHash`, only while that is the user's; otherwise returns false and creates no session.
   */
  addSession(session: Session & { hash: string; passwordHash?: string | null }): Promise<boolean>
  findSession(hash: string, now: number): Promise<{ signedIn: SignedIn; lastSeenAt: number } | null>
  recordSessionUse(id: string, use: { lastSeenAt: number; expiresAt: number }): Promise<void>
  /** Most recently used first. */
  listSessions(userId: string, now: number): Promise<Session[]>
  removeSession(where: { id: string; userId: string }): Promise<boolean>
  removeSessions(userId: string): Promise<void>

  /** Also deletes expired tokens of all users. */
  addToken(token: OneTimeToken): Promise<void>
  /** Returns the user id without using up the token. */
  findToken(hash: string, purpose: TokenPurpose, now: number): Promise<string | null>
  /** Returns the user id once, and only before the token expires. */
  takeToken(hash: string, purpose: TokenPurpose, now: number): Promise<string | null>

  findIdentity(identity: Identity): Promise<Account | null>
  /** False if another user already has that identity. */
  addIdentity(identity: Identity & { id: string; userId: string }): Promise<boolean>

  findInvite(id: string, now: number): Promise<Invite | null>
  /** For any team. */
  hasInvite(email: string, now: number): Promise<boolean>
}
