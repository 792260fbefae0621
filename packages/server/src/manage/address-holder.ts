import type { Recipient } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

export type HolderPorts = {
  store: Pick<Store, 'findInbox' | 'findRootInbox' | 'findCaughtInbox'>
  rootDomain: string
  catchAllTeam: (domain: string) => Promise<Team | null>
  now: () => number
}

type Address = Pick<Recipient, 'domain' | 'mailbox'>

/** `mailboxId` is null if the first mail creates the mailbox. */
export type AddressHolder = { teamId: string; mailboxId: string | null }

/** The team and the mailbox that intake would give the mail to. Null if there is no team. */
export async function findHolder(
  { store, rootDomain, catchAllTeam, now }: HolderPorts,
  { domain, mailbox }: Address,
): Promise<AddressHolder | null> {
  const inbox = await store.findInbox({ domain, mailbox })
  if (inbox) return { teamId: inbox.team.id, mailboxId: inbox.mailbox?.id ?? null }
  const onRoot = domain === rootDomain ? await store.findRootInbox({ domain, mailbox }) : null
  if (onRoot) return { teamId: onRoot.mailbox.teamId, mailboxId: onRoot.mailbox.id }
  const team = await catchAllTeam(domain)
  if (!team) return null
  const caught = await store.findCaughtInbox({ teamId: team.id, domain, mailbox, at: now() })
  return { teamId: team.id, mailboxId: caught?.mailbox?.id ?? null }
}

/** Throws unless the team receives the mail for the address. */
export async function requireReceiving(ports: HolderPorts, teamId: string, address: Address): Promise<void> {
  if ((await findHolder(ports, address))?.teamId === teamId) return
  const { mailbox, domain } = address
  throw new AppError('mailbox_unknown', `Your team does not receive the mail for ${mailbox}@${domain}.`)
}
