import { lazy } from 'react'
import { isServerThere, untilServerIsThere } from './server-reach.ts'
import { notify } from './ui/notices.ts'

const STORAGE_KEY = 'mailhatch.reloaded'
/** Prevents a reload loop: if a reload did not help, the next one will not either. */
const AGAIN_AFTER_MS = 30_000

/** A part of the page that loads on demand. While the server does not respond, it waits instead of failing. */
export const lazyPart: typeof lazy = (load) => lazy(() => loadPart(load))

async function loadPart<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load()
  } catch (error) {
    // After an upgrade of the server, the files of the old version are gone.
    if (await isServerThere()) return reloadOnce(error)
    notify('The server is not responding. This opens as soon as it is back.', { kind: 'bad' })
    await untilServerIsThere()
    // Some browsers remember that a script could not be loaded.
    return load().catch(reloadOnce)
  }
}

async function reloadOnce(error: unknown): Promise<never> {
  if (Date.now() - Number(sessionStorage.getItem(STORAGE_KEY) ?? 0) < AGAIN_AFTER_MS) throw error
  sessionStorage.setItem(STORAGE_KEY, String(Date.now()))
  location.reload()
  // The page is about to end.
  return new Promise(() => {})
}
