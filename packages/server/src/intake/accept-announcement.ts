import { readAnnouncement } from './announcement.ts'
import { withDeadline } from './deadline.ts'
import { intake } from './intake.ts'
import { sharedWithinTurn } from './shared-reads.ts'

type Ports = Parameters<typeof intake>[0]

/**
 * An ordinary message takes some milliseconds. Shorter than WEBHOOK_TIMEOUT_MS, so that the worker gets a 500, which may be
 * due to the mail, and not a timeout, which may be due to the network.
 */
const INTAKE_MS_MAX = 8_000

/** Validates and stores an announcement. Throws an `AppError` for one that is refused. */
export type AcceptAnnouncement = (announcement: unknown) => Promise<{ id: string; status: 'stored' | 'duplicate' }>

export function createAcceptAnnouncement(ports: Ports): AcceptAnnouncement {
  const { store, rootDomain } = ports
  const keyOf = ({ domain, mailbox }: { domain: string; mailbox: string }) => `${mailbox}@${domain}`
  const findInbox = sharedWithinTurn(store.findInbox, keyOf)
  const findRootInbox = sharedWithinTurn(store.findRootInbox, keyOf)
  const findCaughtInbox = sharedWithinTurn(store.findCaughtInbox, (where) => `${where.teamId} ${keyOf(where)}`)
  const intakePorts: Ports = { ...ports, store: { ...store, findInbox, findRootInbox, findCaughtInbox } }

  return async (announcement) => {
    const normal = readAnnouncement(announcement, rootDomain)
    return {
      id: normal.id,
      status: await withDeadline(intake(intakePorts, normal), INTAKE_MS_MAX, 'Storing a message'),
    }
  }
}
