import { AppError } from '../domain/errors.ts'
import { checkMailboxName } from '../domain/mailbox-name.ts'
import type { Mailbox, Store, Team } from '../store/store.ts'

type Ports = {
  store: Pick<Store, 'addMailbox' | 'findTeamMailbox'>
  rootDomain: string
  newId: (now: number) => string
  now: () => number
}

/** A mailbox with a name that someone chose, on the team's domain; the same name again gives the same mailbox. */
export async function createMailbox(ports: Ports, team: Team, wish: string): Promise<Mailbox> {
  const checked = checkMailboxName(wish)
  if ('problem' in checked) {
    throw new AppError(checked.problem === 'reserved' ? 'mailbox_reserved' : 'mailbox_invalid', checked.message)
  }
  const { name } = checked
  const existing = await ports.store.findTeamMailbox({ teamId: team.id, name })
  if (existing) return existing
  const at = ports.now()
  const domain = team.domain ?? ports.rootDomain
  const mailbox = { id: ports.newId(at), teamId: team.id, name, domain, createdAt: at, updatedAt: at }
  const added = await ports.store.addMailbox(mailbox)
  if (added === 'taken') throw new AppError('mailbox_taken', 'Mailbox name already taken for this domain.')
  return added
}
