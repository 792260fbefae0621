import { getPreference, subscribe } from './preferences.ts'

const prefersDark = matchMedia('(prefers-color-scheme: dark)')

/** The one that is drawn now, whoever chose it. */
export function shownTheme(): 'light' | 'dark' {
  return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light'
}

/** Keeps the page in the chosen theme; the script in index.html has drawn it so from the first moment. */
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
