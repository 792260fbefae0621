import { useEffect, useRef, useSyncExternalStore } from 'react'
import { getPreference } from './preferences.ts'

/** `keys` is one key as the browser names it (`j`, `#`, `Escape`), or two in a row (`g i`). */
export type Shortcut = { keys: string; label: string; run: (event: KeyboardEvent) => void }

/** As long as the second key may take. */
const SEQUENCE_MS = 1_200

/** Those of every part that is on the page; the last one to come wins. */
let active: Shortcut[][] = []
const listeners = new Set<() => void>()
let first: { key: string; at: number } | null = null

/** While the part is on the page, these keys work in it. Never where someone types, and not if they are switched off. */
export function useShortcuts(shortcuts: Shortcut[]): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  const names = shortcuts.map(({ keys, label }) => `${keys}\t${label}`).join('\n')
  useEffect(() => {
    // Runs what the part meant last, however often it was drawn since.
    const bound = latest.current.map(({ keys, label }) => ({
      keys,
      label,
      run: (event: KeyboardEvent) => latest.current.find((shortcut) => shortcut.keys === keys)?.run(event),
    }))
    change([...active, bound])
    return () => change(active.filter((other) => other !== bound))
  }, [names])
}

/** All that work now, for the sheet of keys. */
export function useActiveShortcuts(): Shortcut[] {
  const groups = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => active,
  )
  return groups.flat()
}

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (getPreference('keys') === 'off' || isTyping(event.target) || isInPopup(event.target)) return
    const begun = first && performance.now() - first.at < SEQUENCE_MS ? `${first.key} ${event.key}` : null
    first = null
    const found = (begun && find(begun)) || find(event.key)
    if (found) {
      event.preventDefault()
      found.run(event)
    } else if (active.flat().some(({ keys }) => keys.startsWith(`${event.key} `))) {
      first = { key: event.key, at: performance.now() }
    }
  })
}

function find(keys: string): Shortcut | undefined {
  return active.flat().findLast((shortcut) => shortcut.keys === keys)
}

function change(next: Shortcut[][]): void {
  active = next
  for (const listener of listeners) listener()
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))
  )
}

/** Dialogs and menus have keys of their own. */
function isInPopup(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=dialog], [role=alertdialog], [role=menu]') !== null
}
