import { AppError } from '../domain/errors.ts'
import { checkMailboxName } from '../domain/mailbox-name.ts'
import { PLANS } from '../domain/plans.ts'
import type { Mailbox, Store, Team } from '../store/store.ts'

export type MailboxPorts = {
  store: Pick<Store, 'addMailbox' | 'findMailbox' | 'findTeam' | 'findTeamMailbox' | 'settleMailbox' | 'renameMailbox'>
  rootDomain: string
  newId: (now: number) => string
  now: () => number
}

type Owner = Pick<Team, 'id' | 'plan' | 'domain'>

/** A mailbox with a name that someone chose, on the team's domain; the same name again gives the same mailbox. */
export async function createMailbox(ports: MailboxPorts, team: Owner, wish: string): Promise<Mailbox> {
  const name = chosenName(wish)
  const existing = await ports.store.findTeamMailbox({ teamId: team.id, name })
  if (existing?.isCaught) return settle(ports, existing)
  if (existing) return existing
  const at = ports.now()
  const domain = team.domain ?? ports.rootDomain
  const mailbox = { id: ports.newId(at), teamId: team.id, name, domain, createdAt: at, updatedAt: at }
  const added = await ports.store.addMailbox(mailbox, PLANS[team.plan].mailboxes, team.domain)
  if (added === 'limit') throw new AppError('mailbox_limit', 'Mailbox limit reached for this plan.')
  if (added === 'moved') {
    // To another domain, since the team was read; there its mailboxes belong.
    const moved = await ports.store.findTeam(team.id)
    if (!moved) throw notFound()
    return createMailbox(ports, moved, wish)
  }
  if (added !== 'taken') return added
  const holder = await ports.store.findMailbox({ domain, name })
  if (holder && holder.teamId !== team.id) {
    throw new AppError('mailbox_taken', 'Mailbox name already taken for this domain.')
  }
  // Someone of the same team was quicker, or has just removed what was in the way: we look again.
  return createMailbox(ports, team, wish)
}

/** Of a mailbox that mail made: now that someone chooses its name, nobody else can have it. */
async function settle(ports: MailboxPorts, mailbox: Mailbox): Promise<Mailbox> {
  const team = await ports.store.findTeam(mailbox.teamId)
  if (!team) throw notFound()
  const where = { domain: team.domain ?? ports.rootDomain, teamDomain: team.domain }
  const settled = await ports.store.settleMailbox(mailbox, where)
  if (settled === 'taken') throw new AppError('mailbox_taken', 'Mailbox name already taken for this domain.')
  // Null: it was renamed or removed, or its team has moved, since we looked.
  return settled ?? createMailbox(ports, team, mailbox.name)
}

export async function renameMailbox(ports: MailboxPorts, teamId: string, id: string, wish: string): Promise<Mailbox> {
  const name = chosenName(wish)
  const mailbox = await ports.store.findTeamMailbox({ teamId, id })
  if (!mailbox) throw notFound()
  if (mailbox.name === name) return mailbox.isCaught ? settle(ports, mailbox) : mailbox
  const domain = mailbox.isCaught ? await ownDomain(ports, teamId) : mailbox.domain
  const renamed = await ports.store.renameMailbox({ ...mailbox, domain }, { name, at: ports.now() })
  if (renamed === 'used') throw new AppError('mailbox_taken', 'Mailbox name already used in this team.')
  if (renamed === 'taken') throw new AppError('mailbox_taken', 'Mailbox name already taken for this domain.')
  // Null: someone else renamed or removed it since we looked.
  if (renamed === null) return renameMailbox(ports, teamId, id, wish)
  return renamed.isCaught ? settle(ports, renamed) : renamed
}

async function ownDomain(ports: MailboxPorts, teamId: string): Promise<string> {
  const team = await ports.store.findTeam(teamId)
  if (!team) throw notFound()
  return team.domain ?? ports.rootDomain
}

/** Whether a name that may be chosen could be had now; it may be gone a moment later. */
export async function isNameFree(ports: MailboxPorts, team: Owner, name: string): Promise<boolean> {
  const domain = team.domain ?? ports.rootDomain
  const [onDomain, inTeam] = await Promise.all([
    ports.store.findMailbox({ domain, name }),
    ports.store.findTeamMailbox({ teamId: team.id, name }),
  ])
  // On a domain of its own a team has every name.
  const isFree = team.domain !== null || !onDomain
  return isFree && (!inTeam || inTeam.isCaught === true)
}

function notFound(): AppError {
  return new AppError('not_found', 'Not found')
}

/** The name as it is kept; throws when it may not be chosen. */
export function chosenName(wish: string): string {
  const checked = checkMailboxName(wish)
  if ('name' in checked) return checked.name
  throw new AppError(checked.problem === 'reserved' ? 'mailbox_reserved' : 'mailbox_invalid', checked.message)
}
