import { AppError } from '../domain/errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { Destination, Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'
import type { NormalAnnouncement } from './normal-announcement.ts'
import { newEvent } from './new-event.ts'
import { newMessage } from './new-message.ts'

type Ports = {
  store: Pick<
    Store,
    | 'findInbox'
    | 'findRootInbox'
    | 'formerHolders'
    | 'findCaughtInbox'
    | 'rememberCatch'
    | 'addMessage'
    | 'addFirstMessage'
    | 'findListeners'
    | 'hasSeen'
  >
  feed: Pick<Feed, 'wake'>
  /** Wakes the sender of webhooks, because a delivery is due. */
  wakeSender: () => void
  rootDomain: string
  /** Receives mail for the domain that no domain or mailbox claims; null refuses it. */
  catchAllTeam: (domain: string) => Promise<Team | null>
  /** Records refused mail, so that users who wait for it see the reason. */
  recordRejection: (rejection: { from: string; to: string; code: string; reason: string }) => void
  newId: (now: number) => string
  now: () => number
}

/** Turns a mail into a message: resolves the announcement to a mailbox and stores it once. */
export async function intake(ports: Ports, announcement: NormalAnnouncement): Promise<'stored' | 'duplicate'> {
  const resolved = await resolveMailbox(ports, announcement)
  if (resolved === 'duplicate') return 'duplicate'
  const { mailbox, isNew = false, hasEndpoints, hasFormerHolder } = resolved
  // Announced again after the address changed hands: its mail belongs to the team that had it.
  if (hasFormerHolder && (await wasSeenByFormer(ports, announcement))) return 'duplicate'
  const message = await newMessage(announcement, ports.now())
  const event = hasEndpoints ? await newEvent(ports, mailbox, message) : null
  const position = isNew
    ? await ports.store.addFirstMessage(mailbox, mailbox.isCaught ? undefined : mailbox.domain, message, event)
    : await ports.store.addMessage(mailbox, message, event)
  if (position === 'duplicate') return 'duplicate'
  // The mailbox was deleted, renamed or added since it was resolved, or the team has moved: resolve the announcement again.
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

type Resolved = {
  mailbox: Destination
  /** It is added with the message. */
  isNew?: true
  /** From the same reads, as the next, so that most mail needs no extra query. */
  hasEndpoints: boolean
  hasFormerHolder: boolean
}

async function resolveMailbox(ports: Ports, announcement: NormalAnnouncement): Promise<Resolved | 'duplicate'> {
  const { domain, mailbox: name } = announcement
  const { store, rootDomain, catchAllTeam } = ports
  const inbox = await store.findInbox({ domain, mailbox: name })
  if (inbox?.mailbox) return { ...inbox, mailbox: { ...inbox.mailbox, heldBy: 'domain' } }
  if (inbox) return newMailbox(ports, announcement, inbox)
  const onRoot = domain === rootDomain ? await store.findRootInbox({ domain, mailbox: name }) : null
  if (onRoot) return { ...onRoot, mailbox: { ...onRoot.mailbox, heldBy: 'root name' } }
  const team = await catchAllTeam(domain)
  if (team) return caughtMailbox(ports, announcement, team.id)
  // A message is stored once, even if its mailbox was deleted since.
  if (await wasSeenByFormer(ports, announcement)) return 'duplicate'
  const refusal =
    domain === rootDomain
      ? new AppError('mailbox_unknown', 'Mailbox not configured')
      : new AppError('inbox_domain_unknown', 'Inbox domain not configured')
  const { from, to } = announcement
  ports.recordRejection({ from, to, code: refusal.code, reason: refusal.message })
  throw refusal
}

async function wasSeenByFormer({ store }: Ports, { id, domain, mailbox }: NormalAnnouncement): Promise<boolean> {
  for (const teamId of await store.formerHolders({ domain, mailbox })) {
    if (await store.hasSeen({ teamId, id })) return true
  }
  return false
}

/** The team receives the domain's mail only until another team claims it, so the mailbox reserves no name. */
async function caughtMailbox(
  ports: Ports,
  announcement: NormalAnnouncement,
  teamId: string,
): Promise<Resolved | 'duplicate'> {
  const { store, now } = ports
  const address = { teamId, domain: announcement.domain, mailbox: announcement.mailbox }
  const inbox = await store.findCaughtInbox({ ...address, at: now() })
  // The team was deleted since it was found.
  if (!inbox) return resolveMailbox(ports, announcement)
  const { mailbox, hasEndpoints, hasFormerHolder, isRemembered } = inbox
  if (!mailbox) return newMailbox(ports, announcement, { teamId, isCaught: true, hasEndpoints, hasFormerHolder })
  if (!isRemembered) await store.rememberCatch(address, now())
  return { mailbox: { ...mailbox, heldBy: 'catch-all' }, hasEndpoints, hasFormerHolder }
}

type Owner = { teamId: string; isCaught?: true; hasEndpoints: boolean; hasFormerHolder: boolean }

/** The team receives all mail for the domain, so every valid local part becomes a mailbox with its first message. */
async function newMailbox(
  { store, newId, now }: Ports,
  { id, mailbox: name, domain }: NormalAnnouncement,
  { teamId, isCaught, hasEndpoints, hasFormerHolder }: Owner,
): Promise<Resolved | 'duplicate'> {
  // Announcing a mail again, after its mailbox was deleted or its address changed hands, does not create a mailbox.
  if (await store.hasSeen({ teamId, id })) return 'duplicate'
  const at = now()
  // Plans limit the mailboxes that users create, but never refuse mail.
  const mailbox: Destination = { id: newId(at), teamId, name, domain, createdAt: at, updatedAt: at }
  const held: Partial<Destination> = isCaught ? { isCaught, heldBy: 'catch-all' } : { heldBy: 'domain' }
  return { mailbox: { ...mailbox, ...held }, isNew: true, hasEndpoints, hasFormerHolder }
}
