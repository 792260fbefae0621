import { AppError } from '../domain/errors.ts'
import { fold } from '../domain/fold.ts'
import type { NewUser } from '../store/accounts.ts'
import type { ClientAddress } from './attempt-limit.ts'
import type { AccountPorts } from './account-ports.ts'
import { mailAccountExists, mailLink } from './account-mail.ts'
import { isCapturedHere } from './captured-addresses.ts'

export type SignUpInput = {
  email: string
  password: string
  name: string
  invite: string | null
  address: ClientAddress
}

/**
 * Creates an account. If the address must be checked, the response is the same whether the account already exists: only
 * the mail reveals it.
 */
export async function signUp(ports: AccountPorts, input: SignUpInput): Promise<NewUser | 'check address'> {
  const { store, passwords, limits, mailer, newId, now } = ports
  limits.address.begin(input.address)
  const isInvited = await hasInvite(ports, input)
  // The link of an invite lets its holder in at once, because the team trusts them. It does not prove that the address
  // is theirs, because the inviter sees the link too.
  const mustCheck = !isInvited && mailer !== null
  if (mustCheck && (await isCapturedHere(ports, input.email))) {
    throw new AppError('validation_failed', 'Mail to this address is captured here. Use an address of your own.')
  }
  const passwordHash = await passwords.hash(input.password)
  const at = now()
  const user: NewUser = {
    id: newId(at),
    email: input.email,
    name: input.name,
    passwordHash,
    emailCheckedAt: null,
    teamId: null,
    role: null,
    createdAt: at,
  }
  const outcome = await store.addUser(user)
  if (mustCheck) {
    if (outcome === 'added') mailLink(ports, user, 'check')
    else await mailToHolder(ports, input.email)
    return 'check address'
  }
  if (outcome === 'taken') throw new AppError('account_exists', 'This address has an account. Sign in instead.')
  return user
}

async function hasInvite(ports: AccountPorts, { email, invite: id }: SignUpInput): Promise<boolean> {
  if (id === null && ports.signUp === 'open') return false
  const invite = id === null ? null : await ports.store.findInvite(id, ports.now())
  if (invite && fold(invite.email) === fold(email)) return true
  throw inviteNeeded()
}

export function inviteNeeded(): AppError {
  return new AppError('invite_needed', 'You need an invite for this address. Ask an owner of your team.')
}

/** If the address of an existing account is unchecked, its owner may be the one who signs up now. */
async function mailToHolder(ports: AccountPorts, email: string): Promise<void> {
  const holder = await ports.store.findUser({ email })
  if (holder?.emailCheckedAt === null) mailLink(ports, holder, 'check')
  else mailAccountExists(ports, email)
}
