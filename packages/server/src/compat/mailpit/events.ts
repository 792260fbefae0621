import type { Principal } from '../../domain/access.ts'
import { inGroups } from '../../domain/in-groups.ts'
import { isOnlyCopy, mailIdOf } from '../../domain/mail-copies.ts'
import { packageVersion } from '../../http/package-version.ts'
import type { ChangedMark } from '../../store/read-marks.ts'
import type { Followed } from '../../read/subscriptions.ts'
import type { DoorPorts } from '../door.ts'
import { createEventGroups, EVENT_LIMITS, remember, type EventGroup } from '../event-groups.ts'
import type { CountMails } from '../mail-counts.ts'
import { findMail, shownId } from '../mails.ts'
import type { View } from '../../store/messages.ts'
import { presentEntry } from './present.ts'

/** Mailpit counts at most four times a second. */
const STATS_DELAY_MS = 250
const READ_AT_ONCE = 10

export type Events = ReturnType<typeof createEvents>

type Counts = { total: number; unread: number }
type State = {
  stats: NodeJS.Timeout | null
  sent: Counts
  /** Mails whose deletion was announced since then. */
  gone: number
  /** A client waits for its first count. */
  isDue: boolean
}
type Group = EventGroup<State>

export function createEvents(ports: DoorPorts, counts: CountMails, limits = EVENT_LIMITS) {
  const version = `v${packageVersion()}`
  /** The last mails with several messages of which nothing was left. */
  const toldGone = new Set<string>()
  const sender: Parameters<typeof createEventGroups<State>>[1] = {
    newState: () => ({ stats: null, sent: { total: 0, unread: 0 }, gone: 0, isDue: true }),
    withMarks: true,
    async tell(group, followed) {
      await tell(group, followed)
      sendStatsSoon(group)
    },
    toldMore: sendStatsSoon,
    joined(group) {
      group.state.isDue = true
      sendStatsSoon(group)
    },
    ended({ state: { stats } }) {
      if (stats) clearTimeout(stats)
    },
    checked: (group) => inBackground(recount(group)),
  }
  const groups = createEventGroups<State>(ports, sender, limits)

  function send(group: Group, type: string, data: unknown): void {
    groups.send(group, JSON.stringify({ Type: type, Data: data }))
  }

  function sendStatsSoon(group: Group): void {
    // It ends while it reads what to tell.
    if (group.ending.signal.aborted) return
    group.state.stats ??= setTimeout(() => {
      group.state.stats = null
      inBackground(count(group).then((counted) => sendStats(group, counted)))
    }, STATS_DELAY_MS)
  }

  function inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => ports.observe.log.error({ err: error }, 'reading messages for events failed'))
  }

  function count(group: Group): Promise<Counts> {
    return counts(group.principal, groups.viewFor(group))
  }

  function sendStats(group: Group, counted: Counts, isRecount = false): void {
    const { total, unread } = counted
    const { sent, gone, isDue } = group.state
    const isFewer = total < sent.total - gone
    if (isFewer && (isRecount || isBound(group))) send(group, total === 0 ? 'truncate' : 'prune', null)
    Object.assign(group.state, { sent: counted, gone: 0, isDue: false })
    // Otherwise a key of a mailbox would see when others get mail.
    if (isBound(group) && !isDue && sent.total === total && sent.unread === unread) return
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
    const mails = Array.from(Map.groupBy(changed, ({ id }) => mailIdOf(id)))
    const read = await inGroups(mails, READ_AT_ONCE, ([, changes]) => isReadNow(group, view, changes))
    for (const [index, [id]] of mails.entries()) {
      if (read[index] !== null) send(group, 'update', { ID: shownId(id), Read: read[index] })
    }
  }

  /** Whether a mail is read, after changes of its messages. Null if the caller does not see any of these. */
  async function isReadNow(group: Group, view: View, changes: ChangedMark[]): Promise<boolean | null> {
    const { id, isRead } = changes.at(-1)!
    if (isOnlyCopy(id) && !isBound(group)) return isRead
    const copies = await ports.store.findCopies(view, id)
    if (!copies.some((copy) => changes.some((change) => change.id === copy.id))) return null
    const positions = copies.map(({ position }) => position)
    return (await ports.store.readAmong(view.teamId, positions)).length === positions.length
  }

  /** The mails of which nothing is left. The messages of one may be deleted in several steps. */
  async function goneMails(teamId: string, ids: string[]): Promise<string[]> {
    const view: View = { teamId, oldestReceivedAt: 0, filter: {} }
    const mails = new Set(ids.map(mailIdOf))
    // Otherwise its id is that of its only message.
    const several = Array.from(mails.difference(new Set(ids)))
    const left = await inGroups(several, READ_AT_ONCE, (id) => ports.store.findCopies(view, id))
    for (const [index, id] of several.entries()) {
      if (left[index]!.length > 0 || toldGone.has(id)) mails.delete(id)
      else remember(toldGone, id)
    }
    return Array.from(mails)
  }

  /** A key of a mailbox learns no ids of others, but what it was told. Of older mail, it learns that it has become less. */
  async function tellDeleted(teamId: string, ids: string[], to: Group[]): Promise<void> {
    for (const id of await goneMails(teamId, ids)) {
      for (const group of to) {
        if (isBound(group) && !group.told.delete(id)) continue
        send(group, 'delete', { ID: shownId(id) })
        group.state.gone++
      }
    }
  }

  return {
    begin: groups.begin,
    connect: groups.connect,
    deleted(teamId: string, ids: string[]): void {
      const all = groups.ofTeam(teamId)
      for (const group of all) sendStatsSoon(group)
      if (all.length > 0) inBackground(tellDeleted(teamId, ids, all))
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

function isBound({ principal }: Group): boolean {
  return principal.mailbox !== null
}
