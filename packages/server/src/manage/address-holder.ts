import type { Recipient } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { inGroups } from '../domain/in-groups.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

/** They share trips to the database. */
const FOUND_AT_ONCE = 50

export type HolderPorts = {
  store: Pick<Store, 'findInboxes' | 'findRootInbox' | 'findCaughtInbox'>
  rootDomain: string
  catchAllTeam: (domain: string) => Promise<Team | null>
  now: () => number
}

type Address = Pick<Recipient, 'domain' | 'mailbox'>

/** `mailboxId` is null if the first mail creates the mailbox. */
export type AddressHolder = { teamId: string; mailboxId: string | null }

/**
 * The teams and mailboxes that intake would give mail for these names of a domain to; null if there is no team. A team that has the
 * domain is found with two queries, however many names there are.
 */
export async function findHolders(
  ports: HolderPorts,
  { domain, mailboxes }: { domain: string; mailboxes: string[] },
): Promise<Map<string, AddressHolder | null>> {
  const ofDomain = await ports.store.findInboxes({ domain, mailboxes })
  if (ofDomain) {
    const { teamId, mailboxIds } = ofDomain
    return new Map(mailboxes.map((name) => [name, { teamId, mailboxId: mailboxIds.get(name) ?? null }]))
  }
  const found = await inGroups(
    mailboxes,
    FOUND_AT_ONCE,
    async (mailbox) => [mailbox, await findWithoutDomain(ports, { domain, mailbox })] as const,
  )
  return new Map(found)
}

/** The same for addresses of several domains. Returns the holders by domain, and then by mailbox. */
export async function findHoldersByDomain(
  ports: HolderPorts,
  addresses: Address[],
): Promise<Map<string, Map<string, AddressHolder | null>>> {
  const names = new Map<string, Set<string>>()
  for (const { domain, mailbox } of addresses) names.set(domain, (names.get(domain) ?? new Set()).add(mailbox))
  const found = await inGroups(
    Array.from(names),
    FOUND_AT_ONCE,
    async ([domain, mailboxes]) =>
      [domain, await findHolders(ports, { domain, mailboxes: Array.from(mailboxes) })] as const,
  )
  return new Map(found)
}

async function findWithoutDomain(
  { store, rootDomain, catchAllTeam, now }: HolderPorts,
  { domain, mailbox }: Address,
): Promise<AddressHolder | null> {
  const onRoot = domain === rootDomain ? await store.findRootInbox({ domain, mailbox }) : null
  if (onRoot) return { teamId: onRoot.mailbox.teamId, mailboxId: onRoot.mailbox.id }
  const team = await catchAllTeam(domain)
  if (!team) return null
  const caught = await store.findCaughtInbox({ teamId: team.id, domain, mailbox, at: now() })
  return { teamId: team.id, mailboxId: caught?.mailbox?.id ?? null }
}

/** Throws unless the team receives the mail for the address. */
export async function requireReceiving(ports: HolderPorts, teamId: string, address: Address): Promise<void> {
  const { mailbox, domain } = address
  const holders = await findHolders(ports, { domain, mailboxes: [mailbox] })
  if (holders.get(mailbox)?.teamId === teamId) return
  throw new AppError('mailbox_unknown', `Your team does not receive the mail for ${mailbox}@${domain}.`)
}
