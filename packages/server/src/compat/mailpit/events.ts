import type { Principal } from '../../domain/access.ts'
import { inGroups } from '../../domain/in-groups.ts'
import { mailOf } from '../../domain/mail-copies.ts'
import { packageVersion } from '../../http/package-version.ts'
import type { ChangedMark } from '../../store/read-marks.ts'
import type { Followed } from '../../read/subscriptions.ts'
import type { DoorPorts } from '../door.ts'
import { createEventGroups, EVENT_LIMITS, type EventGroup } from '../event-groups.ts'
import type { CountMails } from '../mail-counts.ts'
import { findMail, shownId } from '../mails.ts'
import type { View } from '../../store/messages.ts'
import { presentEntry } from './present.ts'

/** Mailpit counts at most four times a second. */
const STATS_DELAY_MS = 250
const READ_AT_ONCE = 10

export type Events = ReturnType<typeof createEvents>

type Counts = { total: number; unread: number }
/** `sent` is the last count. */
type Group = EventGroup<{ stats: NodeJS.Timeout | null; sent: Counts }>

export function createEvents(ports: DoorPorts, counts: CountMails, limits = EVENT_LIMITS) {
  const version = `v${packageVersion()}`
  const sender: Parameters<typeof createEventGroups<Group['state']>>[1] = {
    newState: () => ({ stats: null, sent: { total: 0, unread: 0 } }),
    withMarks: true,
    async tell(group, followed) {
      await tell(group, followed)
      sendStatsSoon(group)
    },
    joined: sendStatsSoon,
    ended({ state: { stats } }) {
      if (stats) clearTimeout(stats)
    },
    checked: (group) => inBackground(recount(group)),
  }
  const groups = createEventGroups<Group['state']>(ports, sender, limits)

  function send(group: Group, type: string, data: unknown): void {
    groups.send(group, JSON.stringify({ Type: type, Data: data }))
  }

  function sendStatsSoon(group: Group): void {
    group.state.stats ??= setTimeout(() => {
      group.state.stats = null
      inBackground(count(group).then((counted) => sendStats(group, counted, isBound(group))))
    }, STATS_DELAY_MS)
  }

  function inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => ports.observe.log.error({ err: error }, 'reading messages for events failed'))
  }

  function count(group: Group): Promise<Counts> {
    return counts(group.principal, groups.viewFor(group))
  }

  function sendStats(group: Group, counted: Counts, withPrune: boolean): void {
    const { total, unread } = counted
    if (withPrune && total < group.state.sent.total) send(group, total === 0 ? 'truncate' : 'prune', null)
    group.state.sent = counted
    send(group, 'stats', { Total: total, Unread: unread, Version: version })
  }

  /** What another process has deleted is not announced to this one. */
  async function recount(group: Group): Promise<void> {
    const counted = await count(group)
    const { sent, stats } = group.state
    const isSame = counted.total === sent.total && counted.unread === sent.unread
    // A count that is due belongs to something that was announced.
    if (!isSame && stats === null) sendStats(group, counted, true)
  }

  async function tell(group: Group, followed: Followed): Promise<void> {
    const view = groups.viewFor(group)
    if ('message' in followed) {
      const mail = await findMail(ports.store, view, followed.message.id)
      if (mail) send(group, 'new', presentEntry(mail, { isRead: followed.isRead, setTags: null }))
      return
    }
    // Of all messages that are marked at once, only the counts are sent, as in Mailpit.
    const { changed, isCut } = followed.marks
    // Clients read their list again.
    if (isCut) return send(group, 'prune', null)
    const mails = new Map(changed.map((change) => [mailOf(change.id), change]))
    const read = await inGroups(Array.from(mails.values()), READ_AT_ONCE, (change) => isReadNow(view, change))
    for (const [index, id] of Array.from(mails.keys()).entries()) {
      if (read[index] !== null) send(group, 'update', { ID: shownId(id), Read: read[index] })
    }
  }

  /** Whether a mail is read, after a change of a message of it. Null if the caller does not see it. */
  async function isReadNow(view: View, { id, isRead }: ChangedMark): Promise<boolean | null> {
    const copies = await ports.store.findCopies(view, id)
    if (copies.length < 2) return copies[0]?.id === id ? isRead : null
    const positions = copies.map(({ position }) => position)
    return (await ports.store.readAmong(view.teamId, positions)).length === positions.length
  }

  /** Of a mail whose other messages are still there, nothing is told. */
  async function tellDeleted(group: Group, ids: string[]): Promise<void> {
    const view = groups.viewFor(group)
    const mails = Array.from(new Set(ids.map(mailOf)))
    const left = await inGroups(mails, READ_AT_ONCE, (id) => ports.store.findCopies(view, id))
    for (const [index, id] of mails.entries()) {
      if (left[index]!.length === 0) send(group, 'delete', { ID: shownId(id) })
    }
  }

  return {
    begin: groups.begin,
    connect: groups.connect,
    deleted(teamId: string, ids: string[]): void {
      for (const group of groups.ofTeam(teamId)) {
        if (!isBound(group)) inBackground(tellDeleted(group, ids))
        sendStatsSoon(group)
      }
    },
    /** After all messages that the caller sees were deleted. */
    emptied({ team: { id: teamId }, mailbox }: Principal): void {
      const isAll = mailbox === null
      for (const group of groups.ofTeam(teamId)) {
        if (!isBound(group)) send(group, isAll ? 'truncate' : 'prune', null)
        sendStatsSoon(group)
      }
    },
    /** After a client has set the tags of these mails. */
    async tagged(teamId: string, ids: string[], tags: string[]): Promise<void> {
      for (const group of groups.ofTeam(teamId)) {
        const view = groups.viewFor(group)
        for (const id of ids) {
          const isSeen = !isBound(group) || (await ports.store.findCopies(view, id)).length > 0
          if (isSeen) send(group, 'update', { ID: shownId(id), Tags: tags })
        }
      }
    },
    /** After a tag of messages in these mailboxes was renamed or deleted. Clients read their lists again. */
    retagged(teamId: string, mailboxIds: Set<string>): void {
      for (const group of groups.ofTeam(teamId)) {
        const { mailbox } = group.principal
        if (mailbox === null || mailboxIds.has(mailbox.id)) send(group, 'prune', null)
      }
    },
    close: groups.close,
  }
}

/** A key that is bound to a mailbox learns no ids of others, only that its own messages are fewer. */
function isBound({ principal }: Group): boolean {
  return principal.mailbox !== null
}
