import type { Principal } from '../domain/access.ts'
import { isOnlyCopy, mailIdOf } from '../domain/mail-copies.ts'
import type { StoredSummary, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { readMarks, type Marked } from './marks.ts'
import { isIn } from './team-lists.ts'
import { LOOKED_AT_MAX, newestFirst } from './walk.ts'

/** How many mails the caller sees, and how many of them are not read. */
export type CountMails = (principal: Principal, view: View) => Promise<{ total: number; unread: number }>

type Ports = Pick<
  Store,
  'listMessages' | 'followMessages' | 'messageState' | 'readAmong' | 'countMessages' | 'countUnread' | 'countInMailbox'
>

/** The copies of a team: messages that may be several of one mail. Most teams have few. */
type TeamCopies = {
  byMail: Map<string, Marked[]>
  /** All messages up to this position were looked at, and there were so many. */
  through: number
  count: number
  markVersion: number
}

/** Read from the store at a time. */
const PAGE = 1_000
/** In memory, of all teams together. */
const COPIES_MAX = 100_000
const TEAMS_MAX = 10_000

/**
 * Counts messages in the store, and then takes off what mails with several messages have more. These are looked for once among the
 * newest messages of a team, and then among those that arrive. None appears before the newest one, so if the team does not have as
 * many messages as expected, some were deleted, perhaps by another process, and it looks for them again.
 */
export function createMailCounter(store: Ports) {
  // The one that was used last is the last.
  const teams = new Map<string, TeamCopies>()
  const reading = new Map<string, Promise<unknown>>()

  async function lookAgain(teamId: string): Promise<TeamCopies> {
    const { newestPosition, count, markVersion } = await store.messageState(teamId)
    const copies = { byMail: new Map<string, Marked[]>(), through: newestPosition, count, markVersion }
    for await (const page of newestFirst(store, viewOfAll(teamId), PAGE)) {
      addCopies(
        copies,
        page.filter(({ position }) => position <= newestPosition),
      )
    }
    return copies
  }

  async function lookAtNew(teamId: string, copies: TeamCopies, upTo: number): Promise<void> {
    while (copies.through < upTo) {
      const found = await store.followMessages(viewOfAll(teamId), { after: copies.through, upTo, limit: PAGE })
      const added = found.slice(0, PAGE)
      addCopies(copies, added)
      copies.count += added.length
      copies.through = found.length > PAGE ? added.at(-1)!.position : upTo
    }
  }

  async function read(teamId: string): Promise<TeamCopies> {
    let copies = teams.get(teamId)
    if (copies) {
      const { newestPosition, count, markVersion } = await store.messageState(teamId)
      if (newestPosition - copies.through <= LOOKED_AT_MAX) await lookAtNew(teamId, copies, newestPosition)
      copies.markVersion = markVersion
      if (copies.through !== newestPosition || copies.count !== count) copies = await lookAgain(teamId)
    } else {
      copies = await lookAgain(teamId)
    }
    keep(teamId, copies)
    return copies
  }

  function keep(teamId: string, copies: TeamCopies): void {
    teams.delete(teamId)
    teams.set(teamId, copies)
    let sum = teams.values().reduce((total, { byMail }) => total + byMail.size, 0)
    for (const [other, { byMail }] of teams) {
      if ((sum <= COPIES_MAX && teams.size <= TEAMS_MAX) || other === teamId) break
      sum -= byMail.size
      teams.delete(other)
    }
  }

  /** One after another for a team, since each changes what is known of it. */
  function readInOrder(teamId: string): Promise<TeamCopies> {
    const next = (reading.get(teamId) ?? Promise.resolve()).catch(() => {}).then(() => read(teamId))
    reading.set(teamId, next)
    const forget = () => {
      if (reading.get(teamId) === next) reading.delete(teamId)
    }
    next.then(forget, forget)
    return next
  }

  async function countMessages({ team, mailbox }: Principal, view: View): Promise<{ total: number; unread: number }> {
    if (mailbox === null) {
      const [total, unread] = await Promise.all([store.countMessages(view), store.countUnread(view)])
      return { total, unread }
    }
    const page = { since: view.oldestReceivedAt, limit: LOOKED_AT_MAX }
    return store.countInMailbox({ teamId: team.id, id: mailbox.id }, page)
  }

  const counts: CountMails = async (principal, view) => {
    const { byMail, markVersion } = await readInOrder(view.teamId)
    const several = Array.from(byMail.values(), (copies) => copies.filter((copy) => isIn(view, copy))).filter(
      ({ length }) => length > 1,
    )
    await readMarks(store, view.teamId, several.flat(), markVersion)
    let { total, unread } = await countMessages(principal, view)
    for (const copies of several) {
      const unreadCopies = copies.filter(({ mark }) => !mark!.isRead).length
      total -= copies.length - 1
      unread -= Math.max(0, unreadCopies - 1)
    }
    // Some may have been deleted meanwhile.
    return { total: Math.max(0, total), unread: Math.max(0, unread) }
  }

  return {
    counts,
    /** Saves the next count from looking for all of them again. */
    deleted(teamId: string, ids: string[]): void {
      const copies = teams.get(teamId)
      if (!copies) return
      copies.count -= ids.length
      for (const id of ids) removeCopy(copies, id)
    },
  }
}

function viewOfAll(teamId: string): View {
  return { teamId, oldestReceivedAt: 0, filter: {} }
}

function addCopies({ byMail }: TeamCopies, messages: StoredSummary[]): void {
  for (const { id, position, receivedAt, mailboxId, to } of messages) {
    if (isOnlyCopy(id)) continue
    const copy = { id, position, receivedAt, mailboxId, to, mark: null }
    const known = byMail.get(mailIdOf(id))
    if (known) known.push(copy)
    else byMail.set(mailIdOf(id), [copy])
  }
}

function removeCopy({ byMail }: TeamCopies, id: string): void {
  const left = byMail.get(mailIdOf(id))?.filter((copy) => copy.id !== id)
  if (left?.length === 0) byMail.delete(mailIdOf(id))
  else if (left) byMail.set(mailIdOf(id), left)
}
