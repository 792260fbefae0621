import { parseDomain } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

/** More would be unreadable as a list, and calls for INBOX_CATCH_ALL. */
export const CAUGHT_DOMAINS_MAX = 100

type CatchPorts = { store: Pick<Store, 'addCaughtDomain' | 'findInbox'>; now: () => number }

/** From now on, the team receives the domain's mail, until a team has the domain. Returns its normal form. */
export async function catchDomain({ store, now }: CatchPorts, team: Team, given: string): Promise<string> {
  const domain = requireDomain(given)
  if (await store.findInbox({ domain, mailbox: '' })) {
    throw new AppError('domain_taken', 'A team has this domain and receives its mail.')
  }
  const added = await store.addCaughtDomain({ teamId: team.id, domain, caughtAt: now() }, CAUGHT_DOMAINS_MAX)
  if (added === 'limit') {
    const advice = 'Remove one first, or start with --catch-all to catch all of them.'
    throw new AppError('domain_limit', `At most ${CAUGHT_DOMAINS_MAX} domains can be caught. ${advice}`)
  }
  return domain
}

/** Later mail for the domain is refused again. Messages that were caught stay. */
export async function releaseDomain(
  { store }: { store: Pick<Store, 'removeCaughtDomain'> },
  team: Team,
  given: string,
): Promise<string> {
  const domain = requireDomain(given)
  if (await store.removeCaughtDomain({ teamId: team.id, domain })) return domain
  throw new AppError('not_found', 'This domain is not caught.')
}

type MovePorts = { store: Pick<Store, 'findInbox' | 'findRootInbox'>; rootDomain: string }

/**
 * Whether a stored mail may be announced again for this team. Refused mail must not reach another team that has taken
 * the domain or the name since.
 */
export async function mayMoveIn(
  { store, rootDomain }: MovePorts,
  team: Team,
  where: { domain: string; mailbox: string },
): Promise<boolean> {
  const inbox = await store.findInbox(where)
  if (inbox) return inbox.teamId === team.id
  const onRoot = where.domain === rootDomain ? await store.findRootInbox(where) : null
  return onRoot === null || onRoot.mailbox.teamId === team.id
}

function requireDomain(given: string): string {
  const domain = parseDomain(given)
  if (domain === null) throw new AppError('validation_failed', 'Enter a valid domain name.')
  return domain
}
