import type { ListQuery, MessagePage } from './query.ts'
import type { MessageSummary } from './wire.ts'

/** A page that can be iterated: `for await` yields its messages and those of all following pages. */
export type Page = MessagePage & AsyncIterable<MessageSummary>

type ReadPage = (query: ListQuery) => Promise<MessagePage>

/** Await it for the first page, or iterate over all messages. */
export function pagesOf(query: ListQuery, read: ReadPage): Promise<Page> & AsyncIterable<MessageSummary> {
  const first = read(query).then((page) => iterable(page, () => messagesFrom(page, query, read)))
  return iterable(first, async function* () {
    yield* await first
  })
}

async function* messagesFrom(first: MessagePage, query: ListQuery, read: ReadPage): AsyncGenerator<MessageSummary> {
  for (let page = first; ;) {
    // After a cursor, pages go from old to new; reverse each page to match.
    const messages = query.after === undefined ? page.data : page.data.toReversed()
    const last = page.data.at(-1)
    if (!page.has_more || last === undefined) return yield* messages
    yield* messages.slice(0, -1)
    // Load the next page before yielding the last message, because the caller may delete that message.
    const next = await read(nextPage(query, page.cursor, last.id))
    yield messages.at(-1)!
    page = next
  }
}

export function nextPage(query: ListQuery, cursor: string, lastId: string): ListQuery {
  return query.after === undefined ? { ...query, after_id: lastId } : { ...query, after: cursor }
}

/** Not enumerable, so that a page prints and compares like the server's response. */
function iterable<Target extends object>(target: Target, iterate: () => AsyncGenerator<MessageSummary>) {
  return Object.defineProperty(target, Symbol.asyncIterator, { value: iterate }) as Target &
    AsyncIterable<MessageSummary>
}
