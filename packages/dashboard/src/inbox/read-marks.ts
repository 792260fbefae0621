import { useSyncExternalStore } from 'react'

/** Read messages that this browser remembers; who looks at more in a day has other troubles. */
const REMEMBERED_MAX = 5_000
const KEY = 'mailhatch.read'

let read = load()
const listeners = new Set<() => void>()

/** Ids of the messages that were opened in this browser. */
export function useReadMarks(): ReadonlySet<string> {
  return useSyncExternalStore(subscribe, () => read)
}

export function markRead(ids: Iterable<string>, isRead: boolean): void {
  const marked = new Set(read)
  for (const id of ids) {
    if (isRead) marked.add(id)
    else marked.delete(id)
  }
  if (marked.size === read.size && Array.from(ids).every((id) => read.has(id) === isRead)) return
  read = new Set(Array.from(marked).slice(-REMEMBERED_MAX))
  try {
    localStorage.setItem(KEY, Array.from(read).join(' '))
  } catch {
    // Where the browser keeps nothing, it lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

function load(): ReadonlySet<string> {
  try {
    return new Set(localStorage.getItem(KEY)?.split(' ').filter(Boolean))
  } catch {
    return new Set()
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
