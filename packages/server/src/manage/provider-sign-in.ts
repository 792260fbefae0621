import { AppError } from '../domain/errors.ts'
import { parseEmail, readUserName } from '../domain/account-fields.ts'
import type { Account, NewUser } from '../store/accounts.ts'
import type { AccountPorts } from './account-ports.ts'
import { claimAccount } from './address-proof.ts'
import { inviteNeeded } from './sign-up.ts'

/** What the provider reports about a user who signed in. */
export type ProviderClaims = {
  issuer: string
  subject: string
  email: string | null
  isEmailVerified: boolean
  name: string
}

type Ports = Pick<AccountPorts, 'store' | 'signUp' | 'endKey' | 'newId' | 'now'>

/** Finds the account by identity or address, or creates it. Resolves to its id. */
export async function signInByProvider(ports: Ports, claims: ProviderClaims): Promise<string> {
  const known = await ports.store.findIdentity(claims)
  if (known) return known.id
  const email = parseEmail(claims.email ?? '')
  if (email === null || !claims.isEmailVerified) {
    throw new AppError('email_unverified', 'The provider does not say that the email address is yours.')
  }
  const found = await ports.store.findUser({ email })
  const userId = found ? await claim(ports, found) : await createUser(ports, email, claims)
  const identity = { id: ports.newId(ports.now()), issuer: claims.issuer, subject: claims.subject, userId }
  if (await ports.store.addIdentity(identity)) return userId
  // The same user signed in twice concurrently.
  return signInByProvider(ports, claims)
}

/** An account with an unverified address may have been created by an attacker who waits for its owner. */
async function claim(ports: Ports, account: Account): Promise<string> {
  if (account.emailCheckedAt === null) await claimAccount(ports, account, { passwordHash: null, keepsTeam: false })
  return account.id
}

async function createUser(ports: Ports, email: string, { name }: ProviderClaims): Promise<string> {
  const at = ports.now()
  if (ports.signUp === 'invite' && !(await ports.store.hasInvite(email, at))) throw inviteNeeded()
  const user: NewUser = {
    id: ports.newId(at),
    email,
    name: readUserName(name),
    passwordHash: null,
    emailCheckedAt: at,
    teamId: null,
    role: null,
    createdAt: at,
  }
  if ((await ports.store.addUser(user)) === 'added') return user.id
  const other = await ports.store.findUser({ email })
  if (!other) throw new Error('An account existed and then could not be found.')
  return claim(ports, other)
}
