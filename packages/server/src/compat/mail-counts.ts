import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Principal } from '../domain/access.ts'
import { isOnlyCopy, mailIdOf } from '../domain/mail-copies.ts'
import type { StoredSummary, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { isIn, type Listed } from './team-lists.ts'
import { LOOKED_AT_MAX, newestFirst, slicesOf } from './walk.ts'

type Counts = { total: number; unread: number }

/** How many mails the caller sees, and how many of them are not read. */
export type CountMails = (principal: Principal, view: View) => Promise<Counts>

type Ports = Pick<
  Store,
  | 'listMessages'
  | 'followMessages'
  | 'messageState'
  | 'existingPositions'
  | 'readAmong'
  | 'countMessages'
  | 'countUnread'
  | 'countInMailbox'
>

/** The copies of a team: messages that may be several of one mail. Most teams have few. */
type TeamCopies = {
  /** Oldest first. */
  byMail: Map<string, Listed[]>
  size: number
  /** All messages up to this position were looked at, and there were so many. */
  through: number
  count: number
  /** The positions of those that are read, at a version of the team's marks. Null if there are new copies. */
  read: { version: number; positions: Set<number> } | null
}

/** Read from the store at a time. */
const PAGE = 1_000
/** Copies in memory, of all teams together. */
const COPIES_MAX = 100_000
const TEAMS_MAX = 10_000
/** A count during which messages come or go is repeated so often. */
const TRIES = 3

/**
 * Counts messages in the store, and then takes off what mails with several messages have more. These are looked for once among the
 * newest messages of a team, and then among those that arrive. None appears before the newest one, so if the team does not have as
 * many messages as expected, some were deleted, perhaps by another process, and perhaps copies among them.
 */
export function createMailCounter(store: Ports): CountMails {
  // The one that was used last is the last.
  const teams = new Map<string, TeamCopies>()
  const reading = new Map<string, Promise<unknown>>()

  async function lookAtAll(teamId: string, proceed?: () => void): Promise<TeamCopies> {
    const { newestPosition, count } = await store.messageState(teamId)
    const newest: StoredSummary[] = []
    for await (const page of newestFirst(store, viewOfAll(teamId, proceed), PAGE)) {
      newest.push(...page.filter(({ id, position }) => position <= newestPosition && !isOnlyCopy(id)))
    }
    const copies: TeamCopies = { byMail: new Map(), size: 0, through: newestPosition, count, read: null }
    addCopies(copies, newest.reverse())
    return copies
  }

  async function lookAtNew(teamId: string, copies: TeamCopies, upTo: number): Promise<void> {
    while (copies.through < upTo) {
      const found = await store.followMessages(viewOfAll(teamId), { after: copies.through, upTo, limit: PAGE })
      const added = found.slice(0, PAGE)
      addCopies(copies, added)
      copies.count += added.length
      copies.through = found.length > PAGE ? added.at(-1)!.position : upTo
      await yieldToEventLoop()
    }
  }

  async function dropDeleted(teamId: string, { byMail, ...copies }: TeamCopies): Promise<TeamCopies> {
    const all = Array.from(byMail.values()).flat()
    const existing = await inPages(all, (positions) => store.existingPositions(teamId, positions))
    const checked = { ...copies, byMail: new Map(), size: 0 }
    addCopies(
      checked,
      all.filter(({ position }) => existing.has(position)),
    )
    return checked
  }

  async function read(teamId: string, proceed?: () => void): Promise<TeamCopies> {
    proceed?.()
    let copies = teams.get(teamId)
    const { newestPosition, count, markVersion } = await store.messageState(teamId)
    if (!copies || newestPosition - copies.through > LOOKED_AT_MAX) {
      copies = await lookAtAll(teamId, proceed)
    } else {
      await lookAtNew(teamId, copies, newestPosition)
      if (copies.count !== count) copies = { ...(await dropDeleted(teamId, copies)), count }
    }
    if (copies.read?.version !== markVersion) {
      const several = Array.from(copies.byMail.values()).filter(({ length }) => length > 1)
      const positions = await inPages(several.flat(), (some) => store.readAmong(teamId, some))
      copies.read = { version: markVersion, positions }
    }
    keep(teamId, copies)
    return copies
  }

  function keep(teamId: string, copies: TeamCopies): void {
    teams.delete(teamId)
    teams.set(teamId, copies)
    let sum = teams.values().reduce((total, { size }) => total + size, 0)
    for (const [other, { size }] of teams) {
      if ((sum <= COPIES_MAX && teams.size <= TEAMS_MAX) || other === teamId) break
      sum -= size
      teams.delete(other)
    }
  }

  /** One after another for a team, since each changes what is known of it. */
  function readInOrder(teamId: string, proceed?: () => void): Promise<TeamCopies> {
    const next = (reading.get(teamId) ?? Promise.resolve()).catch(() => {}).then(() => read(teamId, proceed))
    reading.set(teamId, next)
    const forget = () => {
      if (reading.get(teamId) === next) reading.delete(teamId)
    }
    next.then(forget, forget)
    return next
  }

  async function countMessages({ team, mailbox }: Principal, view: View): Promise<Counts> {
    if (mailbox === null) {
      const [total, unread] = await Promise.all([store.countMessages(view), store.countUnread(view)])
      return { total, unread }
    }
    const page = { since: view.oldestReceivedAt, limit: LOOKED_AT_MAX }
    return store.countInMailbox({ teamId: team.id, id: mailbox.id }, page)
  }

  async function isStill({ through, count, read }: Pick<TeamCopies, 'through' | 'count' | 'read'>, teamId: string) {
    const state = await store.messageState(teamId)
    return state.newestPosition === through && state.count === count && state.markVersion === read!.version
  }

  return async (principal, view) => {
    for (let tries = 1; ; tries++) {
      const { byMail, through, count, read } = await readInOrder(view.teamId, view.proceed)
      const surplus = surplusOf(byMail, read!.positions, view)
      const { total, unread } = await countMessages(principal, view)
      if (tries < TRIES && !(await isStill({ through, count, read }, view.teamId))) continue
      return { total: Math.max(0, total - surplus.total), unread: Math.max(0, unread - surplus.unread) }
    }
  }
}

/** Those of their positions that are found, asked for in pages. */
async function inPages(messages: Listed[], find: (positions: number[]) => Promise<number[]>): Promise<Set<number>> {
  const found = new Set<number>()
  for (const page of slicesOf(messages, PAGE)) {
    for (const position of await find(page.map((one) => one.position))) found.add(position)
  }
  return found
}

/** How many messages more than mails the view has. */
function surplusOf(byMail: TeamCopies['byMail'], read: Set<number>, view: View): Counts {
  const surplus = { total: 0, unread: 0 }
  for (const all of byMail.values()) {
    if (all.length === 1) continue
    const copies = all.filter((copy) => isIn(view, copy))
    const unread = copies.filter(({ position }) => !read.has(position)).length
    surplus.total += Math.max(0, copies.length - 1)
    surplus.unread += Math.max(0, unread - 1)
  }
  return surplus
}

function viewOfAll(teamId: string, proceed?: () => void): View {
  return { teamId, oldestReceivedAt: 0, filter: {}, ...(proceed && { proceed }) }
}

/** Drops the oldest ones beyond the limit. */
function addCopies(copies: TeamCopies, messages: Listed[]): void {
  const { byMail } = copies
  for (const { id, position, receivedAt, mailboxId, to } of messages) {
    if (isOnlyCopy(id)) continue
    const copy = { id, position, receivedAt, mailboxId, to }
    const known = byMail.get(mailIdOf(id))
    if (known) known.push(copy)
    else byMail.set(mailIdOf(id), [copy])
    copies.size++
    copies.read = null
  }
  for (const [id, { length }] of byMail) {
    if (copies.size <= LOOKED_AT_MAX) break
    copies.size -= length
    byMail.delete(id)
  }
}
