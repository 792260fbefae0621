import type { ListQuery, MessagePage } from './query.ts'
import type { MessageSummary } from './wire.ts'

/** A page that goes on by itself: `for await` gives its messages and those of all pages that follow. */
export type Page = MessagePage & AsyncIterable<MessageSummary>

type ReadPage = (query: ListQuery) => Promise<MessagePage>

/** The first page, to be awaited, or all messages, to be iterated. */
export function pagesOf(query: ListQuery, read: ReadPage): Promise<Page> & AsyncIterable<MessageSummary> {
  const first = read(query).then((page) => iterable(page, () => messagesFrom(page, query, read)))
  return iterable(first, async function* () {
    yield* await first
  })
}

async function* messagesFrom(first: MessagePage, query: ListQuery, read: ReadPage): AsyncGenerator<MessageSummary> {
  for (let page = first; ;) {
    // After a cursor, pages follow each other from old to new, so their messages do too.
    const messages = query.after === undefined ? page.data : page.data.toReversed()
    const last = page.data.at(-1)
    if (!page.has_more || last === undefined) return yield* messages
    yield* messages.slice(0, -1)
    // Read before the message that it follows is handed out: whoever deletes that one gets the rest all the same.
    const next = await read(nextPage(query, page.cursor, last.id))
    yield messages.at(-1)!
    page = next
  }
}

export function nextPage(query: ListQuery, cursor: string, lastId: string): ListQuery {
  return query.after === undefined ? { ...query, after_id: lastId } : { ...query, after: cursor }
}

/** Not enumerable, so that a page prints and compares as what the server sent. */
function iterable<Target extends object>(target: Target, iterate: () => AsyncGenerator<MessageSummary>) {
  return Object.defineProperty(target, Symbol.asyncIterator, { value: iterate }) as Target &
    AsyncIterable<MessageSummary>
}
