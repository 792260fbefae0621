import { useSyncExternalStore } from 'react'

export type Notice = {
  id: number
  text: string
  kind: 'good' | 'bad'
  /** Such as undo, for as long as the notice is shown. */
  action?: { text: string; run: () => void }
}

const SHOWN_MS = 5_000
/** More would cover the page. */
const SHOWN_MAX = 3

let shown: Notice[] = []
let said = ''
let lastId = 0
const listeners = new Set<() => void>()

/** Tells in a corner what happened, and says it to screen readers. Returns a function that takes it away. */
export function notify(
  text: string,
  { kind = 'good', action }: Partial<Pick<Notice, 'kind' | 'action'>> = {},
): () => void {
  const id = ++lastId
  const dismiss = () => change(shown.filter((notice) => notice.id !== id))
  const notice: Notice = {
    id,
    text,
    kind,
    ...(action && { action: { ...action, run: () => (dismiss(), action.run()) } }),
  }
  announce(text)
  change([...shown, notice].slice(-SHOWN_MAX))
  setTimeout(dismiss, SHOWN_MS)
  return dismiss
}

/** Only says it, without showing anything: for what can be seen elsewhere. */
export function announce(text: string): void {
  // The same text twice in a row would not be said again.
  said = text === said ? `${text}\u00a0` : text
  change(shown)
}

export function useNotices(): Notice[] {
  return useSyncExternalStore(subscribe, () => shown)
}

export function useAnnouncement(): string {
  return useSyncExternalStore(subscribe, () => said)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(next: Notice[]): void {
  shown = next
  for (const listener of listeners) listener()
}
