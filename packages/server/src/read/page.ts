import { AppError } from '../domain/errors.ts'
import { isUuid } from '../domain/uuid.ts'
import type { ListAnchor, StoredSummary, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

type Ports = Pick<Store, 'newestPosition' | 'followMessages' | 'listMessages' | 'findAnchor'>

export type MessagePage = { messages: StoredSummary[]; hasMore: boolean; cursor: number }

/** Newest first: messages after a position, or those that follow a message in list order. */
export async function readPage(
  store: Ports,
  view: View,
  { limit, after, afterId }: { limit: number; after: number | null; afterId: string | null },
): Promise<MessagePage> {
  // Read before the page: a message that becomes visible in between is returned twice rather than never.
  const newest = await store.newestPosition(view.teamId)
  if (after !== null) {
    const found = await store.followMessages(view, { after, upTo: newest, limit })
    const hasMore = found.length > limit
    const messages = found.slice(0, limit)
    return { messages: messages.sort(newestFirst), hasMore, cursor: hasMore ? found[limit - 1]!.position : newest }
  }
  const before = afterId === null ? null : await findAnchor(store, view, afterId)
  const found = await store.listMessages(view, { limit, before })
  return { messages: found.slice(0, limit), hasMore: found.length > limit, cursor: newest }
}

async function findAnchor(store: Ports, view: View, id: string): Promise<ListAnchor> {
  const { teamId, oldestReceivedAt } = view
  const { mailboxId } = view.filter
  const everything = { teamId, oldestReceivedAt, filter: mailboxId === undefined ? {} : { mailboxId } }
  const anchor = isUuid(id) ? await store.findAnchor(everything, id.toLowerCase()) : null
  if (!anchor) throw new AppError('cursor_not_found', 'Cursor message not found. It may have been deleted.')
  return anchor
}

function newestFirst(a: StoredSummary, b: StoredSummary): number {
  return b.receivedAt - a.receivedAt || b.position - a.position
}
