import { AppError } from '../domain/errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { Mailbox, Store, Team } from '../store/store.ts'
import type { NormalAnnouncement } from './announcement.ts'
import { newMessage } from './new-message.ts'

type Ports = {
  store: Pick<Store, 'findInbox' | 'findMailbox' | 'findTeamMailbox' | 'addMailbox' | 'addMessage'>
  feed: Pick<Feed, 'wake'>
  rootDomain: string
  /** Takes what no domain or mailbox claims; null refuses it. */
  catchAllTeam: () => Promise<Team | null>
  newId: (now: number) => string
  now: () => number
}

/** Where a mail becomes a message: an announcement is resolved to a mailbox and stored once. */
export async function intake(ports: Ports, announcement: NormalAnnouncement): Promise<'stored' | 'duplicate'> {
  const mailbox = await resolveMailbox(ports, announcement)
  const message = newMessage(announcement, ports.now())
  const position = await ports.store.addMessage(mailbox, message)
  if (position === 'duplicate') return 'duplicate'
  const { id: mailboxId, name, teamId } = mailbox
  ports.feed.wake(teamId, {
    ...message,
    position,
    mailboxId,
    mailbox: name,
    attachmentCount: message.attachments.length,
  })
  return 'stored'
}

async function resolveMailbox(ports: Ports, { domain, mailbox: name }: NormalAnnouncement): Promise<Mailbox> {
  const { store, rootDomain, catchAllTeam } = ports
  const inbox = await store.findInbox({ domain, mailbox: name })
  if (inbox) return inbox.mailbox ?? ensureMailbox(ports, inbox.team, { name, domain })
  const onRoot = domain === rootDomain ? await store.findMailbox({ domain, name }) : null
  if (onRoot) return onRoot
  const team = await catchAllTeam()
  if (team)
    return ensureMailbox(ports, team, { name, domain: domain === rootDomain ? (team.domain ?? domain) : domain })
  if (domain === rootDomain) throw new AppError('mailbox_unknown', 'Mailbox not configured')
  throw new AppError('inbox_domain_unknown', 'Inbox domain not configured')
}

/** The team owns the domain, so any local part that mail can have becomes a mailbox on its first message. */
async function ensureMailbox(
  { store, newId, now }: Ports,
  { id: teamId }: Team,
  { name, domain }: { name: string; domain: string },
): Promise<Mailbox> {
  const found = await store.findTeamMailbox({ teamId, name })
  if (found) return found
  const at = now()
  const added = await store.addMailbox({ id: newId(at), teamId, name, domain, createdAt: at, updatedAt: at })
  if (added !== 'taken') return added
  // Another mail to the same new name was quicker.
  const raced = await store.findTeamMailbox({ teamId, name })
  if (raced) return raced
  throw new AppError('mailbox_unknown', 'Mailbox not configured')
}
