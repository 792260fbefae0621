import { AppError } from '../domain/errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { Mailbox, Store, Team } from '../store/store.ts'
import type { NormalAnnouncement } from './announcement.ts'
import { newEvent } from './new-event.ts'
import { newMessage } from './new-message.ts'

type Ports = {
  store: Pick<
    Store,
    'findInbox' | 'findRootInbox' | 'findTeamMailbox' | 'addMailbox' | 'addMessage' | 'findListeners' | 'hasSeen'
  >
  feed: Pick<Feed, 'wake'>
  /** There is something to be told to an endpoint. */
  wakeSender: () => void
  rootDomain: string
  /** Takes what no domain or mailbox claims; null refuses it. */
  catchAllTeam: () => Promise<Team | null>
  /** Told of what is refused, for the people who wait for it. */
  recordRejection: (rejection: { from: string; to: string; code: string; reason: string }) => void
  newId: (now: number) => string
  now: () => number
}

/** Where a mail becomes a message: an announcement is resolved to a mailbox and stored once. */
export async function intake(ports: Ports, announcement: NormalAnnouncement): Promise<'stored' | 'duplicate'> {
  const resolved = await resolveMailbox(ports, announcement)
  if (resolved === 'duplicate') return 'duplicate'
  const { mailbox, hasEndpoints } = resolved
  const message = await newMessage(announcement, ports.now())
  const event = hasEndpoints ? await newEvent(ports, mailbox, message) : null
  const position = await ports.store.addMessage(mailbox, message, event)
  if (position === 'duplicate') return 'duplicate'
  // Removed or renamed since we looked: the announcement is resolved as if it had come now.
  if (position === 'mailbox gone') return intake(ports, announcement)
  const { id: mailboxId, name, teamId } = mailbox
  ports.feed.wake(teamId, {
    ...message,
    position,
    mailboxId,
    mailbox: name,
    attachmentCount: message.attachments.length,
  })
  if (event) ports.wakeSender()
  return 'stored'
}

/** `hasEndpoints` comes with what is read in any case, so that nothing more is asked for a team without. */
type Resolved = { mailbox: Mailbox; hasEndpoints: boolean }

async function resolveMailbox(ports: Ports, announcement: NormalAnnouncement): Promise<Resolved | 'duplicate'> {
  const { domain, mailbox: name } = announcement
  const { store, rootDomain, catchAllTeam } = ports
  const inbox = await store.findInbox({ domain, mailbox: name })
  if (inbox?.mailbox) return { ...inbox, mailbox: inbox.mailbox }
  if (inbox) return ensureMailbox(ports, announcement, { team: inbox.team, domain })
  const onRoot = domain === rootDomain ? await store.findRootInbox({ domain, mailbox: name }) : null
  if (onRoot) return onRoot
  const team = await catchAllTeam()
  if (team) return ensureMailbox(ports, announcement, { team, domain, isCaught: true })
  // Stored once, whatever has become of its mailbox since.
  if (await store.hasSeen(announcement.id)) return 'duplicate'
  const refusal =
    domain === rootDomain
      ? new AppError('mailbox_unknown', 'Mailbox not configured')
      : new AppError('inbox_domain_unknown', 'Inbox domain not configured')
  const { from, to } = announcement
  ports.recordRejection({ from, to, code: refusal.code, reason: refusal.message })
  throw refusal
}

type Owner = {
  team: Team
  domain: string
  /** It has the domain only as long as nobody else does: the mailbox takes the name from nobody. */
  isCaught?: true
}

/** The team owns the domain, so any local part that mail can have becomes a mailbox on its first message. */
async function ensureMailbox(
  ports: Ports,
  announcement: NormalAnnouncement,
  owner: Owner,
): Promise<Resolved | 'duplicate'> {
  const { store, newId, now } = ports
  const { domain, isCaught } = owner
  const { id: teamId } = owner.team
  const { id, mailbox: name } = announcement
  const found = await store.findTeamMailbox({ teamId, name })
  // So seldom that endpoints are simply looked for.
  const hasEndpoints = true
  if (found) return { mailbox: found, hasEndpoints }
  // Announced again after its mailbox was removed: that does not bring the mailbox back.
  if (await store.hasSeen(id)) return 'duplicate'
  const at = now()
  const mailbox = { id: newId(at), teamId, name, domain, createdAt: at, updatedAt: at, ...(isCaught && { isCaught }) }
  // What people may make is limited by the plan; mail is never refused for it.
  const added = await store.addMailbox(mailbox, null, isCaught ? undefined : domain)
  // To another domain, since the team was read: the announcement is resolved as if it had come now.
  if (added === 'moved') return resolveMailbox(ports, announcement)
  if (typeof added !== 'string') return { mailbox: added, hasEndpoints }
  // Another mail to the same new name was quicker, or someone has just removed the mailbox: we look again.
  return ensureMailbox(ports, announcement, owner)
}
