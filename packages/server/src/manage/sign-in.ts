import { AppError } from '../domain/errors.ts'
import type { Account } from '../store/accounts.ts'
import type { ClientAddress } from './attempt-limit.ts'
import type { AccountPorts } from './account-ports.ts'
import { mailLink } from './account-mail.ts'
import { isCapturedHere } from './captured-addresses.ts'

type Ports = Omit<AccountPorts, 'newId' | 'signUp'>

/**
 * Unknown address and wrong password get the same response after the same time. `address` is the network address,
 * `countedAs` the one that failures are counted for.
 */
export async function signIn(
  ports: Ports,
  {
    email,
    password,
    address,
    countedAs,
  }: { email: string; password: string; address: string; countedAs: ClientAddress },
): Promise<Account> {
  const { store, passwords, limits, mailer } = ports
  limits.address.begin(countedAs)
  limits.password.begin({ email, address })
  const account = await store.findUser({ email })
  const isRight = await passwords.matches(password, account?.passwordHash ?? null)
  if (!account || !isRight) throw new AppError('invalid_credentials', 'Email or password is wrong.')
  limits.address.undo(countedAs)
  limits.password.clear({ email, address })
  if (account.emailCheckedAt === null && mailer) {
    if (await isCapturedHere(ports, email)) {
      throw new AppError('address_unchecked', 'Mail to your address is captured here. Ask the operator for a link.')
    }
    mailLink(ports, account, 'check')
    throw new AppError('address_unchecked', 'Follow the link in the mail that we have sent you, then sign in.')
  }
  return account
}
