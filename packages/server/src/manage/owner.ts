import { AppError } from '../domain/errors.ts'
import type { User } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'

type Ports = {
  store: Pick<Store, 'findBootstrapTeam' | 'listUsers' | 'addUser'>
  newId: (now: number) => string
  now: () => number
}

/** The owner of the team that the first start made; without a password, so only by a link. */
export async function ensureOwner(ports: Ports): Promise<Pick<User, 'id' | 'email'>> {
  const { store, newId, now } = ports
  const team = await store.findBootstrapTeam()
  if (!team) throw new AppError('not_found', 'There is no team of a first start. Say whose link it is: give an e-mail.')
  const owner = (await store.listUsers()).find(({ teamId, role }) => teamId === team.id && role === 'owner')
  if (owner) return owner
  const at = now()
  const user = {
    id: newId(at),
    email: `owner@${team.domain ?? 'localhost'}`,
    name: 'Owner',
    passwordHash: null,
    // By whoever runs the program.
    emailCheckedAt: at,
    teamId: team.id,
    role: 'owner' as const,
    createdAt: at,
  }
  if ((await store.addUser(user)) === 'added') return user
  throw new AppError('account_exists', `${user.email} has an account already, and is no owner of ${team.name}.`)
}
