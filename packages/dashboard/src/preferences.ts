import { useSyncExternalStore } from 'react'

/** Preferences stored in this browser, with their defaults. */
const DEFAULTS = {
  theme: 'system' as 'system' | 'light' | 'dark',
  zone: 'local' as 'local' | 'utc',
  keys: 'on' as 'on' | 'off',
  notifications: 'off' as 'on' | 'off',
  /** Of long lines in source code. */
  wrap: 'on' as 'on' | 'off',
  /** Mailbox ids, separated by spaces. */
  remoteImages: '',
}

export type Preferences = typeof DEFAULTS

const listeners = new Set<() => void>()

export function getPreference<Name extends keyof Preferences>(name: Name): Preferences[Name] {
  try {
    // Only `setPreference` writes these keys.
    return (localStorage.getItem(`mailhatch.${name}`) as Preferences[Name] | null) ?? DEFAULTS[name]
  } catch {
    return chosen[name] ?? DEFAULTS[name]
  }
}

/** Used if storage is disabled; lasts until the page closes. */
const chosen: Partial<Preferences> = {}

export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  chosen[name] = value
  try {
    localStorage.setItem(`mailhatch.${name}`, value)
  } catch {
    // Storage is disabled; `chosen` has the value.
  }
  for (const listener of listeners) listener()
}

export function usePreference<Name extends keyof Preferences>(name: Name): Preferences[Name] {
  return useSyncExternalStore(subscribe, () => getPreference(name))
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Changes made in another tab.
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}
