import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { oldestVisible } from '../domain/plans.ts'
import type { Team } from '../store/mailboxes.ts'
import type { MailboxCount } from '../store/read-marks.ts'
import type { Store } from '../store/store.ts'

/** Counting this many takes two milliseconds of the main thread, for each mailbox and open page. Beyond it, the count is a lower bound. */
const COUNTED_MAX = 2_000
/** Each is a query. Mail to any name of a domain can create thousands of mailboxes, of which a page shows a dozen. */
const MAILBOXES_MAX = 100

type Ports = {
  store: Pick<Store, 'countMessages' | 'countUnread' | 'countInMailbox' | 'listMailboxes'>
  now: () => number
}

export type InboxCounts = {
  total: number
  unread: number
  /** The most recently changed ones. `isExact` is false for a mailbox with more messages than are counted. */
  mailboxes: (MailboxCount & { id: string; isExact: boolean })[]
}

/** How many messages a team has, and how many of them are not read: of all, and of each mailbox. */
export async function countInbox({ store, now }: Ports, team: Team): Promise<InboxCounts> {
  const since = oldestVisible(team, now())
  const view = { teamId: team.id, oldestReceivedAt: since, filter: {} }
  const [total, unread, mailboxes] = await Promise.all([
    store.countMessages(view),
    store.countUnread(view),
    store.listMailboxes(team.id),
  ])
  const counted: InboxCounts['mailboxes'] = []
  for (const mailbox of mailboxes.slice(0, MAILBOXES_MAX)) {
    const { total: found, unread: unreadFound } = await store.countInMailbox(mailbox, {
      since,
      limit: COUNTED_MAX + 1,
    })
    counted.push({
      id: mailbox.id,
      total: Math.min(found, COUNTED_MAX),
      unread: Math.min(unreadFound, COUNTED_MAX),
      isExact: found <= COUNTED_MAX,
    })
    await yieldToEventLoop()
  }
  return { total, unread, mailboxes: counted }
}
