import { useSyncExternalStore } from 'react'
import { failureOf } from '../api/failure.ts'
import { invalidate, queryClient } from '../api/queries.ts'
import { trpc } from '../api/trpc.ts'
import { notify } from '../ui/notices.ts'
import { without, type MessagePages } from './message-pages.ts'

/** How long a deletion can be undone. The request is sent afterwards. */
const UNDO_MS = 5_000
/** The server's limit per request. */
const IDS_MAX = 100

let hidden: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

/** Messages about to be deleted, already hidden in lists. */
export function useHidden(): ReadonlySet<string> {
  return useSyncExternalStore(subscribe, () => hidden)
}

export function removeWithUndo(ids: string[]): void {
  hide(ids, true)
  const timer = setTimeout(() => void remove(ids), UNDO_MS)
  notify(ids.length === 1 ? 'Message deleted' : `${ids.length} messages deleted`, {
    action: {
      text: 'Undo',
      run() {
        clearTimeout(timer)
        hide(ids, false)
      },
    },
  })
}

async function remove(ids: string[]): Promise<void> {
  try {
    for (let from = 0; from < ids.length; from += IDS_MAX) {
      await trpc.inbox.messages.removeMany.mutate({ ids: ids.slice(from, from + IDS_MAX) })
    }
    dropFromLists(ids)
    for (const id of ids) queryClient.removeQueries({ queryKey: ['message', id] })
    void invalidate('counts', 'tags')
  } catch (error) {
    notify(`Could not delete: ${failureOf(error).message}`, { kind: 'bad' })
  } finally {
    hide(ids, false)
  }
}

/** For messages that are deleted already. */
export function dropFromLists(ids: string[]): void {
  const gone = new Set(ids)
  queryClient.setQueriesData<MessagePages>({ queryKey: ['messages'] }, (pages) => pages && without(pages, gone))
}

function hide(ids: string[], isHidden: boolean): void {
  const next = new Set(hidden)
  for (const id of ids) {
    if (isHidden) next.add(id)
    else next.delete(id)
  }
  hidden = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
