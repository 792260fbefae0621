import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { ListAnchor, StoredSummary, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { groupByMail, type Copies } from './mails.ts'

/** The newest messages that a request looks at. The first search of this many reads them all, in about three seconds. */
export const LOOKED_AT_MAX = 50_000
const PAGE = 200
const FIRST_PAGE_MORE = 4

/** The messages of a view in pages, newest first. */
export async function* newestFirst(
  store: Pick<Store, 'listMessages'>,
  view: View,
  pageSize = PAGE,
): AsyncGenerator<StoredSummary[]> {
  let before: ListAnchor | null = null
  for (let count = 0; count < LOOKED_AT_MAX; count += pageSize) {
    view.proceed?.()
    const found: StoredSummary[] = await store.listMessages(view, { limit: pageSize, before })
    if (found.length > 0) yield found.slice(0, pageSize)
    if (found.length <= pageSize) return
    before = found[pageSize - 1]!
    await yieldToEventLoop()
  }
}

/** The mails of a view in groups, newest first. */
export async function* newestMailsFirst(
  store: Pick<Store, 'listMessages'>,
  view: View,
  pageSize = PAGE,
): AsyncGenerator<Copies<StoredSummary>[]> {
  // Of the last time of a page. The next one may have more of it, of the same mail.
  let rest: StoredSummary[] = []
  for await (const page of newestFirst(store, view, pageSize)) {
    const messages = [...rest, ...page]
    const last = messages.at(-1)!.receivedAt
    const end = messages.findIndex(({ receivedAt }) => receivedAt === last)
    rest = messages.splice(end)
    yield groupByMail(messages)
  }
  yield groupByMail(rest)
}

/** A part of the list, as offset and length. */
export async function listFrom(
  store: Pick<Store, 'listMessages'>,
  view: View,
  { start, limit }: { start: number; limit: number },
): Promise<Copies<StoredSummary>[]> {
  const listed: Copies<StoredSummary>[] = []
  let skipped = 0
  // With more than one message, the first page usually has all of the newest mail.
  for await (const group of newestMailsFirst(store, view, Math.min(PAGE, start + limit + FIRST_PAGE_MORE))) {
    listed.push(...group.slice(Math.max(0, start - skipped)))
    skipped += group.length
    if (listed.length >= limit) break
  }
  return listed.slice(0, limit)
}

/** The items in slices of a size. */
export function* slicesOf<Item>(items: Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
