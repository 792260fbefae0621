import type { Principal } from '../domain/access.ts'
import type { StoredSummary, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { groupByMail, type Copies } from './mails.ts'
import { createTeamLists, type Listed, type TeamList } from './team-lists.ts'
import { createTurns, SEARCH_TURNS } from './turns.ts'
import { LOOKED_AT_MAX, slicesOf } from './walk.ts'

/** A message of a list, with its mark at a version of the team's marks, once that was read. */
export type Counted = Listed & { mark: { isRead: boolean; version: number } | null }

/** How many mails the caller sees, and how many of them are not read. For one caller of a team at a time. */
export type CountMails = (principal: Principal, view: View) => Promise<{ total: number; unread: number }>

type MarkPort = Pick<Store, 'readAmong'>
type Ports = MarkPort & Pick<Store, 'countMessages' | 'countUnread' | 'countInMailbox'>

/** Marks that are read at a time. */
const MARKS_PER_READ = 1_000

export function countedOf({ id, position, receivedAt, mailboxId, to }: StoredSummary): Counted {
  return { id, position, receivedAt, mailboxId, to, mark: null }
}

/**
 * Counts messages in the store, and then mails with several messages once: those of the newest messages, which are in memory. An
 * older message counts as a mail.
 */
export function createMailCounts(
  store: Ports,
  readList: (teamId: string, proceed?: () => void) => Promise<TeamList<Counted>>,
): CountMails {
  async function countMessages({ team, mailbox }: Principal, view: View): Promise<{ total: number; unread: number }> {
    if (mailbox === null) {
      const [total, unread] = await Promise.all([store.countMessages(view), store.countUnread(view)])
      return { total, unread }
    }
    const page = { since: view.oldestReceivedAt, limit: LOOKED_AT_MAX }
    return store.countInMailbox({ teamId: team.id, id: mailbox.id }, page)
  }

  return async (principal, view) => {
    const { entries, markVersion } = await readList(view.teamId, view.proceed)
    const several = withSeveral(entries.filter((entry) => isIn(view, entry)))
    await readMarks(store, view.teamId, several.flat(), markVersion)
    const counts = await countMessages(principal, view)
    for (const copies of several) {
      const unread = copies.filter(({ mark }) => !mark!.isRead).length
      counts.total -= copies.length - 1
      counts.unread -= Math.max(0, unread - 1)
    }
    return counts
  }
}

/** For a peer that needs lists in memory for nothing else. */
export function createMailCounter(store: Ports & Parameters<typeof createTeamLists>[0]) {
  const inTurn = createTurns(SEARCH_TURNS)
  const lists = createTeamLists<Counted>(store, { entryOf: countedOf, setTags() {}, onDropped() {} })
  const count = createMailCounts(store, lists.read)
  const counts: CountMails = (principal, view) => inTurn(view.teamId, () => count(principal, view), view.proceed)
  return { counts, deleted: lists.deleted }
}

function withSeveral(messages: Counted[]): Copies<Counted>[] {
  const ofSameTime = messages.filter(
    ({ receivedAt }, index) =>
      messages[index - 1]?.receivedAt === receivedAt || messages[index + 1]?.receivedAt === receivedAt,
  )
  return groupByMail(ofSameTime).filter(({ length }) => length > 1)
}

export async function readMarks(store: MarkPort, teamId: string, messages: Counted[], version: number): Promise<void> {
  const unknown = messages.filter(({ mark }) => mark?.version !== version)
  for (const some of slicesOf(unknown, MARKS_PER_READ)) {
    const positions = some.map(({ position }) => position)
    const read = new Set(await store.readAmong(teamId, positions))
    for (const message of some) message.mark = { isRead: read.has(message.position), version }
  }
}

/** After `readMarks`. A mail is read when all of its messages are. */
export function isMailRead(copies: Copies<Counted>): boolean {
  return copies.every(({ mark }) => mark!.isRead)
}

export function isIn({ oldestReceivedAt, filter }: View, { receivedAt, mailboxId }: Listed): boolean {
  const { mailboxId: boundTo, start = -Infinity, end = Infinity } = filter
  if (boundTo !== undefined && boundTo !== mailboxId) return false
  return receivedAt >= Math.max(oldestReceivedAt, start) && receivedAt < end
}
