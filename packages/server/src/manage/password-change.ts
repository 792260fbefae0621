import { AppError } from '../domain/errors.ts'
import { fold } from '../domain/fold.ts'
import type { SignedIn } from '../store/accounts.ts'
import type { AccountPorts } from './account-ports.ts'
import { mailLink } from './account-mail.ts'
import { takeToken } from './one-time-tokens.ts'

type Ports = Omit<AccountPorts, 'newId' | 'signUp'>

/** Ends all other sessions. `current` is null for those who have had no password. */
export async function changePassword(
  { store, passwords, limits, now }: Ports,
  { user, sessionId }: SignedIn,
  wish: { current: string | null; password: string },
): Promise<void> {
  limits.account.begin(fold(user.email))
  const account = await store.findUser({ id: user.id })
  const hasNone = account?.passwordHash === null
  const isRight = hasNone || (await passwords.matches(wish.current ?? '', account?.passwordHash ?? null))
  if (!isRight) throw new AppError('invalid_credentials', 'The current password is wrong.')
  limits.account.clear(fold(user.email))
  const passwordHash = await passwords.hash(wish.password)
  await store.setPassword(user.id, { passwordHash, isEmailChecked: false, at: now(), keepSessionId: sessionId })
}

/** Whether there is such an account shows neither in the answer nor in its time. */
export function requestReset(ports: Ports, { email, address }: { email: string; address: string }): void {
  ports.limits.address.begin(address)
  const find = async () => {
    const account = await ports.store.findUser({ email })
    if (account) mailLink(ports, account, 'reset')
  }
  find().catch((error: unknown) => ports.log.error({ err: error }, 'a request for a new password failed'))
}

/** Ends all sessions and other links. The mail has shown whose address it is. Resolves to the user's id. */
export async function resetPassword(
  { store, passwords, limits, endKey, now }: Ports,
  { token, password, address }: { token: string; password: string; address: string },
): Promise<string> {
  limits.address.begin(address)
  // Before the link is taken: while too many are hashed, this throws, and the link is to work again later.
  const passwordHash = await passwords.hash(password)
  const userId = await takeToken({ store, now }, token, 'reset')
  limits.address.undo(address)
  const change = { passwordHash, isEmailChecked: true, at: now(), keepSessionId: null }
  for (const keyId of await store.setPassword(userId, change)) endKey(keyId)
  return userId
}
