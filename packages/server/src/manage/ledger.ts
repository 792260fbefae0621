import { parseRecipient } from '../domain/address.ts'
import { ATTEMPTS_KEPT_MS, idInGroup, type AttemptGroup } from '../domain/attempt.ts'
import { uuidTime } from '../domain/uuid.ts'
import type { NewAttempt } from '../store/attempts.ts'
import type { Store } from '../store/store.ts'
import { findHoldersByDomain, type HolderPorts } from './address-holder.ts'

/** Clocks of workers may differ by this. */
const AHEAD_MS_MAX = 3_600_000

type AttemptPorts = HolderPorts & { store: Pick<Store, 'addSmtpAttempts'> }

/**
 * Stores what a worker reports, for the teams that have the addresses. What was tried with an address of no team is not stored. It is
 * safe to report a group again.
 */
export async function addAttempts(ports: AttemptPorts, { id, attempts }: AttemptGroup): Promise<void> {
  const ageMs = ports.now() - uuidTime(id)
  if (!(ageMs < ATTEMPTS_KEPT_MS && ageMs > -AHEAD_MS_MAX)) return
  const recipients = attempts.map(({ to }) => parseRecipient(to))
  const holders = await findHoldersByDomain(
    ports,
    recipients.filter((recipient) => recipient !== null),
  )
  const byTeam = new Map<string, NewAttempt[]>()
  for (const [index, attempt] of attempts.entries()) {
    const recipient = recipients[index]
    const holder = recipient && holders.get(recipient.domain)!.get(recipient.mailbox)
    if (!holder) continue
    const { mailbox, tag, domain } = recipient
    const ofTeam = byTeam.get(holder.teamId) ?? []
    const report = { id: idInGroup(id, index), ...attempt }
    ofTeam.push({ mailboxId: holder.mailboxId, mailbox, tag, domain, report })
    byTeam.set(holder.teamId, ofTeam)
  }
  for (const [teamId, ofTeam] of byTeam) await ports.store.addSmtpAttempts(teamId, id, ofTeam)
}
