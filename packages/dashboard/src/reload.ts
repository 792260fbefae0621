const STORAGE_KEY = 'mailhatch.reloaded'
/** Prevents a reload loop: if a reload did not help, the next one will not either. */
const AGAIN_AFTER_MS = 30_000

/** After a server upgrade, chunks of the old version are gone. Reloads the page once if one fails to load. */
export function reloadWhenOutdated(): void {
  window.addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(STORAGE_KEY) ?? 0) < AGAIN_AFTER_MS) return
    sessionStorage.setItem(STORAGE_KEY, String(Date.now()))
    event.preventDefault()
    location.reload()
  })
}
