import { AppError } from '../domain/errors.ts'
import type { User } from '../store/accounts.ts'
import type { ClientAddress } from './attempt-limit.ts'
import type { AccountPorts } from './account-ports.ts'
import { readToken, takeToken } from './one-time-tokens.ts'

type Ports = Pick<AccountPorts, 'store' | 'endKey' | 'now'>

/** The password that the new owner has chosen; null for none yet. */
type Claim = { passwordHash: string | null; keepsTeam: boolean }

/**
 * The user has proved that the address is theirs. A link or a provider proves only that: the account may have been
 * created by an attacker who knows its password and waits for the owner of the address. So earlier passwords, sessions,
 * links, keys and a team end.
 */
export async function claimAccount(
  { store, endKey, now }: Ports,
  user: Pick<User, 'id' | 'teamId'>,
  claim: Claim,
): Promise<void> {
  for (const keyId of await store.claimAccount(user, { ...claim, at: now() })) endKey(keyId)
}

/** Uses the link of a mail together with the password its reader chose. Resolves to the user's id. */
export async function claimByLink(
  ports: Pick<AccountPorts, 'store' | 'passwords' | 'limits' | 'endKey' | 'now'>,
  purpose: 'check' | 'reset',
  { token, password, address }: { token: string; password: string; address: ClientAddress },
): Promise<string> {
  const { store, passwords, limits } = ports
  limits.address.begin(address)
  const account = await store.findUser({ id: await readToken(ports, token, purpose) })
  if (!account) throw new Error('The token belongs to an account that no longer exists.')
  // Hash before the link is used up: hashing throws when it is overloaded, and the link must still work later.
  const { passwordHash: old } = account
  const isKnown = old !== null && (await passwords.matches(password, old))
  const passwordHash = isKnown ? old : await passwords.hash(password)
  await takeToken(ports, token, purpose)
  limits.address.undo(address)
  // A reader who already knows the password created the account and its team.
  await claimAccount(ports, account, { passwordHash, keepsTeam: isKnown })
  return account.id
}

/** Uses a link from the operator, who vouches for the user. Resolves to the user's id. */
export async function signInByLink(
  ports: Ports & Pick<AccountPorts, 'limits'>,
  { token, address }: { token: string; address: ClientAddress },
): Promise<string> {
  ports.limits.address.begin(address)
  const userId = await takeToken(ports, token, 'sign-in')
  ports.limits.address.undo(address)
  const account = await ports.store.findUser({ id: userId })
  if (!account) throw new AppError('token_invalid', 'This link has expired or was used already.')
  if (account.emailCheckedAt === null) await claimAccount(ports, account, { passwordHash: null, keepsTeam: true })
  return userId
}
