import type { Principal } from '../../domain/access.ts'
import { packageVersion } from '../../http/package-version.ts'
import type { Followed } from '../../read/subscriptions.ts'
import type { DoorPorts } from '../door.ts'
import { createEventGroups, EVENT_LIMITS, type EventGroup } from '../event-groups.ts'
import { toShortId } from '../short-id.ts'
import { countsOf } from '../counts.ts'
import { presentEntry } from './present.ts'

/** Mailpit counts at most four times a second. */
const STATS_DELAY_MS = 250

export type Events = ReturnType<typeof createEvents>

type Counts = { total: number; unread: number }
/** `sent` is the last count. */
type Group = EventGroup<{ stats: NodeJS.Timeout | null; sent: Counts }>

export function createEvents(ports: DoorPorts, limits = EVENT_LIMITS) {
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
      inBackground(count(group).then((counts) => sendStats(group, counts, isBound(group))))
    }, STATS_DELAY_MS)
  }

  function inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => ports.observe.log.error({ err: error }, 'counting messages failed'))
  }

  function count(group: Group): Promise<Counts> {
    return countsOf(ports.store, group.principal, groups.viewFor(group))
  }

  function sendStats(group: Group, counts: Counts, withPrune: boolean): void {
    const { total, unread } = counts
    if (withPrune && total < group.state.sent.total) send(group, total === 0 ? 'truncate' : 'prune', null)
    group.state.sent = counts
    send(group, 'stats', { Total: total, Unread: unread, Version: version })
  }

  /** What another process has deleted is not announced to this one. */
  async function recount(group: Group): Promise<void> {
    const counts = await count(group)
    const { sent, stats } = group.state
    const isSame = counts.total === sent.total && counts.unread === sent.unread
    // A count that is due belongs to something that was announced.
    if (!isSame && stats === null) sendStats(group, counts, true)
  }

  async function tell(group: Group, followed: Followed): Promise<void> {
    const view = groups.viewFor(group)
    if ('message' in followed) {
      const message = await ports.store.findMessage(view, followed.message.id)
      if (message) send(group, 'new', presentEntry(message, { isRead: followed.isRead, setTags: null }))
      return
    }
    // Of all messages that are marked at once, only the counts are sent, as in Mailpit.
    const { changed, isCut } = followed.marks
    // Clients read their list again.
    if (isCut) return send(group, 'prune', null)
    for (const { id, isRead } of changed) {
      // Marks are of the team, and a key may be bound to a mailbox.
      const isSeen = !isBound(group) || (await ports.store.findAnchor(view, id)) !== null
      if (isSeen) send(group, 'update', { ID: toShortId(id), Read: isRead })
    }
  }

  return {
    begin: groups.begin,
    connect: groups.connect,
    deleted(teamId: string, ids: string[]): void {
      for (const group of groups.ofTeam(teamId)) {
        if (!isBound(group)) for (const id of ids) send(group, 'delete', { ID: toShortId(id) })
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
    /** After a client has set the tags of messages. */
    async tagged(teamId: string, ids: string[], tags: string[]): Promise<void> {
      for (const group of groups.ofTeam(teamId)) {
        const view = groups.viewFor(group)
        for (const id of ids) {
          const isSeen = !isBound(group) || (await ports.store.findAnchor(view, id)) !== null
          if (isSeen) send(group, 'update', { ID: toShortId(id), Tags: tags })
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
