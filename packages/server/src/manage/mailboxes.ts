import { AppError } from '../domain/errors.ts'
import { checkMailboxName } from '../domain/mailbox-name.ts'
import { PLANS } from '../domain/plans.ts'
import type { Mailbox, Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

export type MailboxPorts = {
  store: Pick<Store, 'addMailbox' | 'findMailbox' | 'findTeam' | 'findTeamMailbox' | 'settleMailbox' | 'renameMailbox'>
  rootDomain: string
  newId: (now: number) => string
  now: () => number
}

type Owner = Pick<Team, 'id' | 'plan' | 'domain'>

/** Creates a mailbox on the team's domain. If the team already has the name, returns that mailbox. */
export async function createMailbox(ports: MailboxPorts, team: Owner, input: string): Promise<Mailbox> {
  const name = chosenName(input)
  const existing = await ports.store.findTeamMailbox({ teamId: team.id, name })
  if (existing?.isCaught) return settle(ports, existing)
  if (existing) return existing
  const at = ports.now()
  const domain = team.domain ?? ports.rootDomain
  const mailbox = { id: ports.newId(at), teamId: team.id, name, domain, createdAt: at, updatedAt: at }
  const added = await ports.store.addMailbox(mailbox, PLANS[team.plan].mailboxes, team.domain)
  if (added === 'limit') throw new AppError('mailbox_limit', 'Mailbox limit reached for this plan.')
  if (added === 'moved') {
    // The team has moved to another domain since it was read, and its mailboxes belong there.
    const moved = await ports.store.findTeam(team.id)
    if (!moved) throw notFound()
    return createMailbox(ports, moved, input)
  }
  if (added !== 'taken') return added
  const holder = await ports.store.findMailbox({ domain, name })
  if (holder && holder.teamId !== team.id) {
    throw new AppError('mailbox_taken', 'Mailbox name already taken for this domain.')
  }
  // A concurrent request of the same team created it, or the conflicting mailbox was just deleted: try again.
  return createMailbox(ports, team, input)
}

/** Reserves the name of a mailbox that mail created, now that a user has chosen it. */
async function settle(ports: MailboxPorts, mailbox: Mailbox): Promise<Mailbox> {
  const team = await ports.store.findTeam(mailbox.teamId)
  if (!team) throw notFound()
  const where = { domain: team.domain ?? ports.rootDomain, teamDomain: team.domain, at: ports.now() }
  const settled = await ports.store.settleMailbox(mailbox, where)
  if (settled === 'taken') throw new AppError('mailbox_taken', 'Mailbox name already taken for this domain.')
  // Null: the mailbox was renamed or deleted, or its team moved, since it was read.
  return settled ?? createMailbox(ports, team, mailbox.name)
}

export async function renameMailbox(ports: MailboxPorts, teamId: string, id: string, input: string): Promise<Mailbox> {
  const name = chosenName(input)
  const mailbox = await ports.store.findTeamMailbox({ teamId, id })
  if (!mailbox) throw notFound()
  if (mailbox.name === name) return mailbox.isCaught ? settle(ports, mailbox) : mailbox
  const domain = mailbox.isCaught ? await ownDomain(ports, teamId) : mailbox.domain
  const renamed = await ports.store.renameMailbox({ ...mailbox, domain }, { name, at: ports.now() })
  if (renamed === 'used') throw new AppError('mailbox_taken', 'Mailbox name already used in this team.')
  if (renamed === 'taken') throw new AppError('mailbox_taken', 'Mailbox name already taken for this domain.')
  // Null: renamed or deleted concurrently.
  if (renamed === null) return renameMailbox(ports, teamId, id, input)
  return renamed.isCaught ? settle(ports, renamed) : renamed
}

async function ownDomain(ports: MailboxPorts, teamId: string): Promise<string> {
  const team = await ports.store.findTeam(teamId)
  if (!team) throw notFound()
  return team.domain ?? ports.rootDomain
}

/** Whether a valid name is currently free. Another request may take it at any time. */
export async function isNameFree(ports: MailboxPorts, team: Owner, name: string): Promise<boolean> {
  const domain = team.domain ?? ports.rootDomain
  const [onDomain, inTeam] = await Promise.all([
    ports.store.findMailbox({ domain, name }),
    ports.store.findTeamMailbox({ teamId: team.id, name }),
  ])
  // A team with its own domain can use every name on it.
  const isFree = team.domain !== null || !onDomain
  return isFree && (!inTeam || inTeam.isCaught === true)
}

function notFound(): AppError {
  return new AppError('not_found', 'Not found')
}

/** The normalised name. Throws if it is invalid or reserved. */
export function chosenName(input: string): string {
  const checked = checkMailboxName(input)
  if ('name' in checked) return checked.name
  throw new AppError(checked.problem === 'reserved' ? 'mailbox_reserved' : 'mailbox_invalid', checked.message)
}
