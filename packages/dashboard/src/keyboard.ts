import { useEffect, useRef, useSyncExternalStore } from 'react'
import { getPreference } from './preferences.ts'

/**
 * `keys` is one key as the browser names it (`j`, `#`, `Escape`), a sequence (`g i`), or a key with Ctrl, or Command on a
 * Mac (`Mod+k`). Shortcuts with `Mod` also work in text fields and when single-key shortcuts are off.
 */
export type Shortcut = { keys: string; label: string; run: (event: KeyboardEvent) => void }

/** Time for the second key of a sequence. */
const SEQUENCE_MS = 1_200

/** The shortcuts of all mounted components; the last one mounted wins. */
let active: Shortcut[][] = []
const listeners = new Set<() => void>()
let first: { key: string; at: number } | null = null

/** Registers shortcuts while the component is mounted. They do not fire in text fields or if the user turned them off. */
export function useShortcuts(shortcuts: Shortcut[]): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  const names = shortcuts.map(({ keys, label }) => `${keys}\t${label}`).join('\n')
  useEffect(() => {
    // Calls the handler of the latest render.
    const bound = latest.current.map(({ keys, label }) => ({
      keys,
      label,
      run: (event: KeyboardEvent) => latest.current.find((shortcut) => shortcut.keys === keys)?.run(event),
    }))
    change([...active, bound])
    return () => change(active.filter((other) => other !== bound))
  }, [names])
}

/** All active shortcuts, for the help dialog. */
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
    if (event.defaultPrevented || isInPopup(event.target)) return
    if (hasModifier(event)) {
      const chord = find(`Mod+${event.key.toLowerCase()}`)
      if (!chord) return
      event.preventDefault()
      return chord.run(event)
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (getPreference('keys') === 'off' || isTyping(event.target)) return
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

type Modifiers = Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** Ctrl alone; on a Mac Command, because Ctrl shortcuts edit text there. */
export function hasModifier({ ctrlKey, metaKey, altKey, shiftKey }: Modifiers): boolean {
  return (isMac() ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !altKey && !shiftKey
}

/** The key as printed on a keyboard. */
export function keyText(key: string): string {
  return key.replace(/^Mod\+(.)$/, (_, letter: string) => `${isMac() ? '⌘' : 'Ctrl+'}${letter.toUpperCase()}`)
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent)
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

/** Dialogs and menus handle keys themselves. */
function isInPopup(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=dialog], [role=alertdialog], [role=menu]') !== null
}
