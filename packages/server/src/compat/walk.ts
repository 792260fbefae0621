import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { ListAnchor, StoredSummary, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

/** The newest messages that a request looks at. The first search of this many reads them all, in about three seconds. */
export const LOOKED_AT_MAX = 50_000
const PAGE = 200

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

/** A part of the list, as offset and length. */
export async function listFrom(
  store: Pick<Store, 'listMessages'>,
  view: View,
  { start, limit }: { start: number; limit: number },
): Promise<StoredSummary[]> {
  const listed: StoredSummary[] = []
  let skipped = 0
  for await (const page of newestFirst(store, view, Math.min(PAGE, start + limit))) {
    listed.push(...page.slice(Math.max(0, start - skipped)))
    skipped += page.length
    if (listed.length >= limit) break
  }
  return listed.slice(0, limit)
}

/** The items in slices of a size. */
export function* slicesOf<Item>(items: Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
