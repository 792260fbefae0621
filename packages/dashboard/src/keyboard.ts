import { useEffect, useRef, useSyncExternalStore } from 'react'
import { getPreference } from './preferences.ts'

/**
 * `keys` is one key as the browser names it (`j`, `#`, `Escape`), two in a row (`g i`), or one with Ctrl (`Mod+k`), for
 * which Macs have Command. Those work everywhere but in dialogs: nobody presses them without meaning to.
 */
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

/** Ctrl alone; on a Mac Command, because Ctrl edits text there. */
export function hasModifier({ ctrlKey, metaKey, altKey, shiftKey }: Modifiers): boolean {
  return (isMac() ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !altKey && !shiftKey
}

/** As it is printed on the keys. */
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

/** Dialogs and menus have keys of their own. */
function isInPopup(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=dialog], [role=alertdialog], [role=menu]') !== null
}
