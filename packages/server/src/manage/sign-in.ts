import { AppError } from '../domain/errors.ts'
import { fold } from '../domain/fold.ts'
import type { Account } from '../store/accounts.ts'
import type { AccountPorts } from './account-ports.ts'
import { mailLink } from './account-mail.ts'
import { isCapturedHere } from './captured-addresses.ts'
import { takeToken } from './one-time-tokens.ts'

type Ports = Omit<AccountPorts, 'newId' | 'signUp'>

/** Unknown address and wrong password are refused in the same words and the same time. `address` is the network's. */
export async function signIn(
  ports: Ports,
  { email, password, address }: { email: string; password: string; address: string },
): Promise<Account> {
  const { store, passwords, limits, mailer } = ports
  limits.address.begin(address)
  limits.account.begin(fold(email))
  const account = await store.findUser({ email })
  const isRight = await passwords.matches(password, account?.passwordHash ?? null)
  if (!account || !isRight) throw new AppError('invalid_credentials', 'E-mail or password is wrong.')
  limits.address.undo(address)
  limits.account.clear(fold(email))
  if (account.emailCheckedAt === null && mailer) {
    if (await isCapturedHere(ports, email)) {
      throw new AppError('address_unchecked', 'Mail to your address is captured here. Ask the operator for a link.')
    }
    mailLink(ports, account, 'check')
    throw new AppError('address_unchecked', 'Follow the link in the mail that we have sent you, then sign in.')
  }
  return account
}

/** By a link that was printed for the operator, or given by one. Resolves to the user's id. */
export async function signInByLink(
  ports: Pick<Ports, 'store' | 'limits' | 'now'>,
  { token, address }: { token: string; address: string },
): Promise<string> {
  ports.limits.address.begin(address)
  const userId = await takeToken(ports, token, 'sign-in')
  ports.limits.address.undo(address)
  return userId
}
