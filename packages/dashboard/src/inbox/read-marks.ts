import { useSyncExternalStore } from 'react'

/** How many read messages the browser remembers. Older ones show as unread again. */
const REMEMBERED_MAX = 5_000
const KEY = 'mailhatch.read'

let read = load()
const listeners = new Set<() => void>()

/** Ids of the messages opened in this browser. */
export function useReadMarks(): ReadonlySet<string> {
  return useSyncExternalStore(subscribe, () => read)
}

/** The same at this moment. */
export function readMarks(): ReadonlySet<string> {
  return read
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
    // Storage is disabled: the marks last until the page closes.
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
