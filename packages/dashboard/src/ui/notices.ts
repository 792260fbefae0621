import { useSyncExternalStore } from 'react'

export type Notice = {
  id: number
  text: string
  kind: 'good' | 'bad'
  /** For example Undo; available while the notice is visible. */
  action?: { text: string; run: () => void }
}

const SHOWN_MS = 5_000
/** More would cover the page. */
const SHOWN_MAX = 3

let shown: Notice[] = []
let announcement = ''
let lastId = 0
const listeners = new Set<() => void>()

/** Shows a toast and announces it to screen readers. Returns a function that dismisses it. */
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

/** Announces a text to screen readers only, for what is visible elsewhere on the page. */
export function announce(text: string): void {
  // Screen readers ignore a repeated text, so it must differ.
  announcement = text === announcement ? `${text}\u00a0` : text
  change(shown)
}

export function useNotices(): Notice[] {
  return useSyncExternalStore(subscribe, () => shown)
}

export function useAnnouncement(): string {
  return useSyncExternalStore(subscribe, () => announcement)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(next: Notice[]): void {
  shown = next
  for (const listener of listeners) listener()
}
