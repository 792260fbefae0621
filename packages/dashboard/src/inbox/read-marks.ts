import { failureOf } from '../api/failure.ts'
import { invalidate, queryClient } from '../api/queries.ts'
import { trpc } from '../api/trpc.ts'
import { notify } from '../ui/notices.ts'
import { withMarks, type ListedMessage, type MarkChanges, type MessagePages } from './message-pages.ts'
import { paced } from './paced.ts'
import type { Filter } from './search-terms.ts'

/** The server's limit per request. */
const IDS_MAX = 100
/** The counts reload at most this often, however many messages are opened. */
const COUNTS_EVERY_MS = 2_000

// Earlier versions kept the marks of this browser here.
forget('mailhatch.read')

export const reloadCounts = paced(() => void invalidate('counts'), COUNTS_EVERY_MS)

/** Marks messages for the whole team. Lists show it at once, and are changed back if the server refuses. */
export function markRead(ids: Iterable<string>, isRead: boolean): void {
  const all = Array.from(ids)
  set(all, isRead).catch((error: unknown) => notify(`Could not mark: ${failureOf(error).message}`, { kind: 'bad' }))
}

/** A failure is not worth a notice: the message is still shown, and opening it again tries again. */
export function markOpened(id: string): void {
  set([id], true).catch(() => {})
}

/** Marks everything that matches and is not newer than the cursor. Resolves to whether the server did so. */
export async function markAllRead(filter: Filter, upTo: string): Promise<boolean> {
  try {
    await trpc.inbox.readMarks.setAll.mutate({ ...filter, upTo })
    // The stream reports which messages have changed.
    reloadCounts()
    return true
  } catch (error) {
    notify(`Could not mark: ${failureOf(error).message}`, { kind: 'bad' })
    return false
  }
}

/** Applies what the server reports: changes by other tabs and by other members. */
export function applyMarks(changes: MarkChanges): void {
  queryClient.setQueriesData<MessagePages>({ queryKey: ['messages'] }, (pages) => pages && withMarks(pages, changes))
  if (changes.isCut) void invalidate('messages')
  reloadCounts()
}

async function set(ids: string[], isRead: boolean): Promise<void> {
  const different = listed(ids).filter((message) => message.isRead !== isRead)
  show(ids, isRead)
  try {
    for (let from = 0; from < ids.length; from += IDS_MAX) {
      await trpc.inbox.readMarks.set.mutate({ ids: ids.slice(from, from + IDS_MAX), isRead })
    }
    reloadCounts()
  } catch (error) {
    show(
      different.map(({ id }) => id),
      !isRead,
    )
    throw error
  }
}

function listed(ids: string[]): ListedMessage[] {
  const wanted = new Set(ids)
  return queryClient
    .getQueriesData<MessagePages>({ queryKey: ['messages'] })
    .flatMap(([, pages]) => pages?.pages ?? [])
    .flatMap(({ messages }) => messages)
    .filter(({ id }) => wanted.has(id))
}

function forget(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Storage is disabled, so there is nothing to remove.
  }
}

function show(ids: string[], isRead: boolean): void {
  const changed = ids.map((id) => ({ id, isRead }))
  queryClient.setQueriesData<MessagePages>(
    { queryKey: ['messages'] },
    (pages) => pages && withMarks(pages, { readThrough: null, changed }),
  )
}
