import { AppError } from '../domain/errors.ts'
import type { User } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'

type Ports = {
  store: Pick<Store, 'findBootstrapTeam' | 'listUsers' | 'addUser'>
  newId: (now: number) => string
  now: () => number
}

/** The owner of the team created at the first start. Has no password, so can only sign in with a link. */
export async function ensureOwner(ports: Ports): Promise<Pick<User, 'id' | 'email'>> {
  const { store, newId, now } = ports
  const team = await store.findBootstrapTeam()
  if (!team) throw new AppError('not_found', 'There is no team from a first start. Pass the email address of the user.')
  const owner = (await store.listUsers()).find(({ teamId, role }) => teamId === team.id && role === 'owner')
  if (owner) return owner
  const at = now()
  const user = {
    id: newId(at),
    email: `owner@${team.domain ?? 'localhost'}`,
    name: 'Owner',
    passwordHash: null,
    // The operator vouches for it.
    emailCheckedAt: at,
    teamId: team.id,
    role: 'owner' as const,
    createdAt: at,
  }
  if ((await store.addUser(user)) === 'added') return user
  throw new AppError('account_exists', `${user.email} already has an account but is not an owner of ${team.name}.`)
}
