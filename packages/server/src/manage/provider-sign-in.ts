import { AppError } from '../domain/errors.ts'
import { parseEmail, readUserName } from '../domain/account-fields.ts'
import type { Account, NewUser } from '../store/accounts.ts'
import type { AccountPorts } from './account-ports.ts'
import { claimAccount } from './address-proof.ts'
import { inviteNeeded } from './sign-up.ts'

/** What a provider says of someone who has signed in there. */
export type ProviderClaims = {
  issuer: string
  subject: string
  email: string | null
  isEmailVerified: boolean
  name: string
}

type Ports = Pick<AccountPorts, 'store' | 'signUp' | 'endKey' | 'newId' | 'now'>

/** The account of that person here: known from before, found by the address, or made. Resolves to its id. */
export async function signInByProvider(ports: Ports, claims: ProviderClaims): Promise<string> {
  const known = await ports.store.findIdentity(claims)
  if (known) return known.id
  const email = parseEmail(claims.email ?? '')
  if (email === null || !claims.isEmailVerified) {
    throw new AppError('email_unverified', 'The provider does not say that the e-mail address is yours.')
  }
  const found = await ports.store.findUser({ email })
  const userId = found ? await claim(ports, found) : await makeUser(ports, email, claims)
  const identity = { id: ports.newId(ports.now()), issuer: claims.issuer, subject: claims.subject, userId }
  if (await ports.store.addIdentity(identity)) return userId
  // The same person, in two windows at once.
  return signInByProvider(ports, claims)
}

/** An account whose address nobody has checked may have been made by someone else, who waits for its owner. */
async function claim(ports: Ports, account: Account): Promise<string> {
  if (account.emailCheckedAt === null) await claimAccount(ports, account, { passwordHash: null, keepsTeam: false })
  return account.id
}

async function makeUser(ports: Ports, email: string, { name }: ProviderClaims): Promise<string> {
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
  if (!other) throw new Error('An account was taken, and then it was not there.')
  return claim(ports, other)
}
