const KEPT_AS = 'mailhatch.reloaded'
/** If it is still so after a reload, another one does not help. */
const AGAIN_AFTER_MS = 30_000

/** After an upgrade of the server, parts that were not loaded yet are gone; the page is then loaded anew, once. */
export function reloadWhenOutdated(): void {
  window.addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(KEPT_AS) ?? 0) < AGAIN_AFTER_MS) return
    sessionStorage.setItem(KEPT_AS, String(Date.now()))
    event.preventDefault()
    location.reload()
  })
}
