import { AppError } from '../domain/errors.ts'
import { fold } from '../domain/fold.ts'
import type { NewUser } from '../store/accounts.ts'
import type { ClientAddress } from './try-limit.ts'
import type { AccountPorts } from './account-ports.ts'
import { mailAccountExists, mailLink } from './account-mail.ts'
import { isCapturedHere } from './captured-addresses.ts'

export type SignUpWish = {
  email: string
  password: string
  name: string
  invite: string | null
  address: ClientAddress
}

/**
 * Makes an account. Where the address is still to be checked, the answer is the same whether there was one already:
 * only the mail tells.
 */
export async function signUp(ports: AccountPorts, wish: SignUpWish): Promise<NewUser | 'check address'> {
  const { store, passwords, limits, mailer, newId, now } = ports
  limits.address.begin(wish.address)
  const isInvited = await hasInvite(ports, wish)
  // Whoever has the link of the invite may come in at once, trusted by the team that gave it. That the address is theirs
  // it does not show: whoever invites sees the link, too.
  const mustCheck = !isInvited && mailer !== null
  if (mustCheck && (await isCapturedHere(ports, wish.email))) {
    throw new AppError('validation_failed', 'Mail to this address is captured here. Use an address of your own.')
  }
  const passwordHash = await passwords.hash(wish.password)
  const at = now()
  const user: NewUser = {
    id: newId(at),
    email: wish.email,
    name: wish.name,
    passwordHash,
    emailCheckedAt: null,
    teamId: null,
    role: null,
    createdAt: at,
  }
  const outcome = await store.addUser(user)
  if (mustCheck) {
    if (outcome === 'added') mailLink(ports, user, 'check')
    else await mailToHolder(ports, wish.email)
    return 'check address'
  }
  if (outcome === 'taken') throw new AppError('account_exists', 'This address has an account. Sign in instead.')
  return user
}

async function hasInvite(ports: AccountPorts, { email, invite: id }: SignUpWish): Promise<boolean> {
  if (id === null && ports.signUp === 'open') return false
  const invite = id === null ? null : await ports.store.findInvite(id, ports.now())
  if (invite && fold(invite.email) === fold(email)) return true
  throw inviteNeeded()
}

export function inviteNeeded(): AppError {
  return new AppError('invite_needed', 'You need an invite for this address. Ask an owner of your team.')
}

/** Where nobody has shown that the address is theirs, its owner may be the one who signs up now. */
async function mailToHolder(ports: AccountPorts, email: string): Promise<void> {
  const holder = await ports.store.findUser({ email })
  if (holder?.emailCheckedAt === null) mailLink(ports, holder, 'check')
  else mailAccountExists(ports, email)
}
