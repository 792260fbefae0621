import type { Principal } from '../domain/access.ts'
import type { View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { LOOKED_AT_MAX } from './walk.ts'

type Ports = Pick<Store, 'countMessages' | 'countUnread' | 'countInMailbox'>

/** How many messages the caller sees, and how many of them are not read. */
export async function countsOf(
  store: Ports,
  { team, mailbox }: Principal,
  view: View,
): Promise<{ total: number; unread: number }> {
  if (mailbox === null) {
    const [total, unread] = await Promise.all([store.countMessages(view), store.countUnread(view)])
    return { total, unread }
  }
  const page = { since: view.oldestReceivedAt, limit: LOOKED_AT_MAX }
  return store.countInMailbox({ teamId: team.id, id: mailbox.id }, page)
}
