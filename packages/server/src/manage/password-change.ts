import { AppError } from '../domain/errors.ts'
import type { SignedIn } from '../store/accounts.ts'
import type { ClientAddress } from './attempt-limit.ts'
import type { AccountPorts } from './account-ports.ts'
import { mailLink } from './account-mail.ts'

type Ports = Omit<AccountPorts, 'newId' | 'signUp'>

/** Ends all other sessions. `current` is null for users without a password. */
export async function changePassword(
  { store, passwords, limits, now }: Ports,
  { user, sessionId }: SignedIn,
  input: { current: string | null; password: string },
): Promise<void> {
  limits.session.begin(sessionId)
  const account = await store.findUser({ id: user.id })
  const hasNone = account?.passwordHash === null
  const isRight = hasNone || (await passwords.matches(input.current ?? '', account?.passwordHash ?? null))
  if (!isRight) throw new AppError('invalid_credentials', 'The current password is wrong.')
  limits.session.clear(sessionId)
  const passwordHash = await passwords.hash(input.password)
  const replaces = account?.passwordHash ?? null
  const isSet = await store.setPassword(user.id, { passwordHash, replaces, at: now(), keepSessionId: sessionId })
  // The password changed concurrently, or the address was claimed: the comparison above is obsolete.
  if (!isSet) throw new AppError('invalid_credentials', 'The current password is wrong.')
}

/** Neither the response nor its time reveals whether the account exists. */
export function requestReset(ports: Ports, { email, address }: { email: string; address: ClientAddress }): void {
  ports.limits.address.begin(address)
  const find = async () => {
    const account = await ports.store.findUser({ email })
    if (account) mailLink(ports, account, 'reset')
  }
  find().catch((error: unknown) => ports.log.error({ err: error }, 'a request for a new password failed'))
}
