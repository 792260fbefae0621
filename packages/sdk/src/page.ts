import type { ListQuery, MessagePage } from './query.ts'
import type { MessageSummary } from './wire.ts'

/** A page that can be iterated: `for await` yields its messages and those of all following pages. */
export type Page = MessagePage & AsyncIterable<MessageSummary>

/** Await it for the first page, or iterate over the items of all pages. */
export type Pages<OnePage extends PageOf<unknown>> = Promise<OnePage & AsyncIterable<ItemOf<OnePage>>> &
  AsyncIterable<ItemOf<OnePage>>

type PageOf<Item> = { data: Item[]; has_more: boolean }
type ItemOf<OnePage> = OnePage extends PageOf<infer Item> ? Item : never

type Reading<OnePage> = {
  first: Promise<OnePage>
  /** The page after this one. */
  next: (page: OnePage, last: ItemOf<OnePage>) => Promise<OnePage>
  /** The items of a page in the order of the iteration. */
  inOrder: (items: ItemOf<OnePage>[]) => ItemOf<OnePage>[]
}

export function pagesOf(query: ListQuery, read: (query: ListQuery) => Promise<MessagePage>): Pages<MessagePage> {
  return pages({
    first: read(query),
    next: (page, last) => read(nextPage(query, page.cursor, last.id)),
    // After a cursor, pages go from old to new; reverse each page to match.
    inOrder: (messages) => (query.after === undefined ? messages : messages.toReversed()),
  })
}

export function pages<OnePage extends PageOf<unknown>>(reading: Reading<OnePage>): Pages<OnePage> {
  const first = reading.first.then((page) => iterable(page, () => itemsFrom(page, reading)))
  return iterable(first, async function* () {
    yield* await first
  })
}

async function* itemsFrom<OnePage extends PageOf<unknown>>(
  first: OnePage,
  { next, inOrder }: Reading<OnePage>,
): AsyncGenerator<ItemOf<OnePage>> {
  for (let page = first; ;) {
    // What `ItemOf` infers is the type of these.
    const data = page.data as ItemOf<OnePage>[]
    const items = inOrder(data)
    const last = data.at(-1)
    if (!page.has_more || last === undefined) return yield* items
    yield* items.slice(0, -1)
    // Load the next page before yielding the last item, because the caller may delete it.
    const following = await next(page, last)
    yield items.at(-1)!
    page = following
  }
}

export function nextPage(query: ListQuery, cursor: string, lastId: string): ListQuery {
  return query.after === undefined ? { ...query, after_id: lastId } : { ...query, after: cursor }
}

/** Not enumerable, so that a page prints and compares like the server's response. */
function iterable<Target extends object, Item>(target: Target, iterate: () => AsyncGenerator<Item>) {
  return Object.defineProperty(target, Symbol.asyncIterator, { value: iterate }) as Target & AsyncIterable<Item>
}
