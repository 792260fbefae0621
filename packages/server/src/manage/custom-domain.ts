import { checkCustomDomain } from '../domain/custom-domain.ts'
import { AppError } from '../domain/errors.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'
import type { PendingDomain } from '../store/teams.ts'
import { domainTaken } from './teams.ts'

export type DomainProof = 'off' | 'txt'

export type DomainPorts = {
  store: Pick<Store, 'findInbox' | 'findPendingDomain' | 'setPendingDomain' | 'moveToDomain'>
  rootDomain: string
  domainProof: DomainProof
  /** Rejects or resolves to an empty list if there is no such record. */
  resolveTxt: (name: string) => Promise<string[]>
  newToken: () => string
  now: () => number
}

export type DomainState = { domain: string | null; pending: PendingDomain | null }

/** The DNS record that proves that the team owns the domain. */
export function proofRecord({ domain, token }: PendingDomain): { type: 'TXT'; name: string; value: string } {
  return { type: 'TXT', name: `_mailhatch.${domain}`, value: `mailhatch-verify=${token}` }
}

/** The normalised domain, null for the shared root domain. Throws if it is invalid. */
export function chosenDomain({ rootDomain }: { rootDomain: string }, input: string | null): string | null {
  const checked = checkCustomDomain(input, rootDomain)
  if ('message' in checked) throw new AppError('validation_failed', checked.message)
  return checked.domain
}

/** If proof is required, the domain stays pending and receives no mail before `verifyDomain`. */
export async function changeDomain(ports: DomainPorts, team: Team, domain: string | null): Promise<DomainState> {
  const needsProof = ports.domainProof === 'txt' && domain !== null && domain !== team.domain
  if (!needsProof) return move(ports, team, domain)
  if (await isTaken(ports, team, domain)) throw domainTaken(domain)
  const earlier = await ports.store.findPendingDomain(team.id)
  // Saving twice must not require another record.
  const pending = earlier?.domain === domain ? earlier : { domain, token: ports.newToken() }
  await ports.store.setPendingDomain(team.id, pending)
  return { domain: team.domain, pending }
}

export async function verifyDomain(ports: DomainPorts, team: Team): Promise<DomainState> {
  const pending = await ports.store.findPendingDomain(team.id)
  if (!pending) return { domain: team.domain, pending: null }
  const { name, value } = proofRecord(pending)
  const records = await ports.resolveTxt(name).catch((): string[] => [])
  if (!records.includes(value)) {
    throw new AppError('domain_unproven', `There is no TXT record ${name} with the value ${value} yet.`)
  }
  return move(ports, team, pending.domain)
}

async function move(ports: DomainPorts, { id }: Team, domain: string | null): Promise<DomainState> {
  const outcome = await ports.store.moveToDomain(id, {
    domain: domain ?? ports.rootDomain,
    isCustom: domain !== null,
    at: ports.now(),
  })
  if (outcome === 'moved') return { domain, pending: null }
  if (outcome === 'domain taken') throw domainTaken(domain)
  if (outcome === 'mailbox reserved') throw new AppError('mailbox_reserved', 'Mailbox name is reserved.')
  throw new AppError(
    'mailbox_taken',
    domain === null ? 'Mailbox name already taken on the root domain.' : 'Mailbox name already taken for this domain.',
  )
}

async function isTaken({ store }: DomainPorts, team: Team, domain: string): Promise<boolean> {
  const inbox = await store.findInbox({ domain, mailbox: '' })
  return inbox !== null && inbox.teamId !== team.id
}
