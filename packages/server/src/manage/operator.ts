import type { Role } from '../store/accounts.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

type Ports = {
  store: Pick<Store, 'findBootstrapTeam'>
  /** Null unless this is the all-in-one program. */
  worker: object | null
}

/** In the all-in-one program, the team of its first start is the one that runs it: it sees what no team claims. */
export async function isOperatorTeam({ store, worker }: Ports, { id }: Pick<Team, 'id'>): Promise<boolean> {
  return worker !== null && (await store.findBootstrapTeam())?.id === id
}

/** The owners of that team. */
export async function isOperator(ports: Ports, team: Team, role: Role): Promise<boolean> {
  return role === 'owner' && isOperatorTeam(ports, team)
}
