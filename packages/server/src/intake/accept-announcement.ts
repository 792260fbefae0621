import { readAnnouncement } from './announcement.ts'
import { intake } from './intake.ts'
import { sharedWithinTurn } from './shared-reads.ts'

type Ports = Parameters<typeof intake>[0]

/** Validates and stores an announcement. Throws an `AppError` for one that is refused. */
export type AcceptAnnouncement = (announcement: unknown) => Promise<{ id: string; status: 'stored' | 'duplicate' }>

export function createAcceptAnnouncement(ports: Ports): AcceptAnnouncement {
  const { store, rootDomain } = ports
  const keyOf = ({ domain, mailbox }: { domain: string; mailbox: string }) => `${mailbox}@${domain}`
  const findInbox = sharedWithinTurn(store.findInbox, keyOf)
  const findRootInbox = sharedWithinTurn(store.findRootInbox, keyOf)
  const intakePorts: Ports = { ...ports, store: { ...store, findInbox, findRootInbox } }

  return async (announcement) => {
    const normal = readAnnouncement(announcement, rootDomain)
    return { id: normal.id, status: await intake(intakePorts, normal) }
  }
}
