import { getPreference, subscribe } from './preferences.ts'

const prefersDark = matchMedia('(prefers-color-scheme: dark)')

/** The theme currently shown, whether set by the user or by the system. */
export function shownTheme(): 'light' | 'dark' {
  return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light'
}

/** Applies the theme whenever the preference changes. The script in index.html sets it before the first paint. */
export function followTheme(): void {
  const apply = () => {
    const choice = getPreference('theme')
    const isDark = choice === 'dark' || (choice === 'system' && prefersDark.matches)
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
  }
  subscribe(apply)
  prefersDark.addEventListener('change', apply)
  apply()
}
