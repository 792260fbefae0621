import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { StoredSummary, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { LOOKED_AT_MAX, newestFirst } from './walk.ts'

/** What decides about the place of a message in a list, about its mail, and about who sees it. */
export type Listed = Pick<StoredSummary, 'id' | 'position' | 'receivedAt' | 'mailboxId' | 'to'>

/** Read from the store at a time. */
const PAGE = 1_000

type Options<Entry> = {
  entryOf: (summary: StoredSummary) => Entry
  /** Called with the tags that a client has set, also again with the same. */
  setTags: (entry: Entry, tags: string[]) => void
  /** Called with what is no longer in memory. */
  onDropped: (entries: Entry[]) => void
  /** Of one team, and also of all teams together, the one that asked last excepted. */
  entriesMax?: number
}

/** The newest messages of a team, oldest first. */
export type TeamList<Entry> = {
  entries: Entry[]
  /** As long as it is the same, no message is marked as read or unread. */
  markVersion: number
  /** As long as it is the same, no client has set tags. */
  tagVersion: number
}

type KeptList<Entry> = TeamList<Entry> & {
  /** All messages up to this position were looked at. */
  through: number
  /** Older messages that are not in the list. */
  others: number
  /** Deleted since the list was last used. */
  deleted: Set<string>
}

/**
 * Lists of messages in memory, brought up to date with one small query if nothing has changed. A list contains at least all messages
 * that exist, because none appears behind the newest position. So if the store counts as many, the list is right. Otherwise messages
 * were deleted, perhaps by another process, and it is read again.
 */
export function createTeamLists<Entry extends Listed>(
  store: Pick<Store, 'listMessages' | 'followMessages' | 'messageState' | 'changedTags'>,
  { entryOf, setTags, onDropped, entriesMax = LOOKED_AT_MAX }: Options<Entry>,
) {
  // The one that was used last is the last.
  const lists = new Map<string, KeptList<Entry>>()

  async function readAgain(view: View, old: KeptList<Entry>): Promise<KeptList<Entry>> {
    const { newestPosition, count, markVersion, tagVersion } = await store.messageState(view.teamId)
    const known = new Map(old.entries.map((entry) => [entry.position, entry]))
    const entries: Entry[] = []
    for await (const page of newestFirst(store, view, PAGE)) {
      for (const summary of page) {
        // Later ones are added when the list is used again.
        if (summary.position > newestPosition) continue
        entries.push(known.get(summary.position) ?? entryOf(summary))
        known.delete(summary.position)
      }
      if (entries.length >= entriesMax) break
    }
    onDropped([...known.values(), ...entries.splice(entriesMax)])
    const others = entries.length < entriesMax ? 0 : Math.max(0, count - entries.length)
    const through = newestPosition
    const list = { entries: entries.reverse(), markVersion, tagVersion: 0, through, others, deleted: new Set<string>() }
    await updateTags(view, list, tagVersion)
    return list
  }

  async function add(view: View, list: KeptList<Entry>, upTo: number): Promise<void> {
    const { entries } = list
    while (list.through < upTo) {
      view.proceed?.()
      const found = await store.followMessages(view, { after: list.through, upTo, limit: PAGE })
      const added = found.slice(0, PAGE)
      const isInOrder = added.every((one, index) => compare(added[index - 1] ?? entries.at(-1) ?? one, one) <= 0)
      entries.push(...added.map(entryOf))
      if (!isInOrder) entries.sort(compare)
      list.through = found.length > PAGE ? added.at(-1)!.position : upTo
      await yieldToEventLoop()
    }
    const surplus = entries.splice(0, entries.length - entriesMax)
    list.others += surplus.length
    onDropped(surplus)
  }

  /** Messages that are added later have no earlier tags, because tags are only set for visible messages. */
  async function updateTags(view: View, list: KeptList<Entry>, version: number): Promise<void> {
    if (version === list.tagVersion) return
    const byPosition = new Map(list.entries.map((entry) => [entry.position, entry]))
    // After all messages of the version that is known.
    let after = { version: list.tagVersion, position: Number.MAX_SAFE_INTEGER }
    for (;;) {
      view.proceed?.()
      const changes = await store.changedTags(view.teamId, { after, limit: PAGE })
      for (const { position, tags } of changes) {
        const entry = byPosition.get(position)
        if (entry) setTags(entry, tags)
      }
      if (changes.length < PAGE) break
      after = changes.at(-1)!
    }
    list.tagVersion = version
  }

  function removeDeleted(list: KeptList<Entry>): void {
    if (list.deleted.size === 0) return
    const { true: gone = [], false: left = [] } = Object.groupBy(list.entries, ({ id }) =>
      list.deleted.has(id) ? 'true' : 'false',
    )
    list.entries = left
    list.deleted.clear()
    onDropped(gone)
  }

  async function upToDate(view: View, list: KeptList<Entry>): Promise<KeptList<Entry>> {
    const { newestPosition, count, markVersion, tagVersion } = await store.messageState(view.teamId)
    removeDeleted(list)
    if (newestPosition - list.through > entriesMax) return readAgain(view, list)
    if (newestPosition > list.through) await add(view, list, newestPosition)
    list.markVersion = markVersion
    if (list.entries.length + list.others !== count) return readAgain(view, list)
    await updateTags(view, list, tagVersion)
    return list
  }

  function keep(teamId: string, list: KeptList<Entry>): void {
    lists.delete(teamId)
    lists.set(teamId, list)
    let sum = lists.values().reduce((total, { entries }) => total + entries.length, 0)
    for (const [other, { entries }] of lists) {
      if (sum <= entriesMax || other === teamId) break
      sum -= entries.length
      drop(other)
    }
  }

  function drop(teamId: string): void {
    onDropped(lists.get(teamId)?.entries ?? [])
    lists.delete(teamId)
  }

  return {
    /** The list as it is now. For one caller of a team at a time. */
    async read(teamId: string, proceed?: () => void): Promise<TeamList<Entry>> {
      const view: View = { teamId, oldestReceivedAt: 0, filter: {}, ...(proceed && { proceed }) }
      const known = lists.get(teamId)
      const list = known ? await upToDate(view, known) : await readAgain(view, NOTHING)
      keep(teamId, list)
      return list
    },

    /** Saves the next reader from reading the whole list again. */
    deleted(teamId: string, ids: string[]): void {
      const list = lists.get(teamId)
      // Older messages, which are not in the list, move up.
      if (!list || list.others > 0) return
      for (const id of ids) list.deleted.add(id)
      // Most of it is gone, and perhaps the team does not ask again.
      if (list.deleted.size > list.entries.length) drop(teamId)
    },
  }
}

/** Whether the view shows the message. */
export function isIn({ oldestReceivedAt, filter }: View, { receivedAt, mailboxId }: Listed): boolean {
  const { mailboxId: boundTo, start = -Infinity, end = Infinity } = filter
  if (boundTo !== undefined && boundTo !== mailboxId) return false
  return receivedAt >= Math.max(oldestReceivedAt, start) && receivedAt < end
}

const NOTHING = { entries: [], markVersion: 0, tagVersion: 0, through: 0, others: 0, deleted: new Set<string>() }

function compare(one: Listed, other: Listed): number {
  return one.receivedAt - other.receivedAt || one.position - other.position
}
