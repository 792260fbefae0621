import { useSyncExternalStore } from 'react'

/** What a person chose for this browser, each with what holds before they do. */
const DEFAULTS = {
  theme: 'system' as 'system' | 'light' | 'dark',
  zone: 'local' as 'local' | 'utc',
  keys: 'on' as 'on' | 'off',
  notifications: 'off' as 'on' | 'off',
  /** Ids of mailboxes, with spaces between them. */
  remoteImages: '',
}

export type Preferences = typeof DEFAULTS

const listeners = new Set<() => void>()

export function getPreference<Name extends keyof Preferences>(name: Name): Preferences[Name] {
  try {
    // Only `setPreference` writes it.
    return (localStorage.getItem(`mailhatch.${name}`) as Preferences[Name] | null) ?? DEFAULTS[name]
  } catch {
    return chosen[name] ?? DEFAULTS[name]
  }
}

/** Where the browser keeps nothing, choices last as long as the page. */
const chosen: Partial<Preferences> = {}

export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  chosen[name] = value
  try {
    localStorage.setItem(`mailhatch.${name}`, value)
  } catch {
    // Kept above.
  }
  for (const listener of listeners) listener()
}

export function usePreference<Name extends keyof Preferences>(name: Name): Preferences[Name] {
  return useSyncExternalStore(subscribe, () => getPreference(name))
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Chosen in another tab.
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}
