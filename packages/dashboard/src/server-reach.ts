import { OFFLINE } from './api/failure.ts'
import { serverPath } from './base-path.ts'
import { notify } from './ui/notices.ts'

/** A server that takes longer to say that it is alive does not help a user who waits. */
const ANSWER_MS_MAX = 5_000
const ASK_EVERY_MS = 1_000

/** Whether the server responds. If not, a navigation would replace the app by the browser's error page. */
export async function isServerThere(): Promise<boolean> {
  try {
    const { ok } = await fetch(serverPath('/health'), { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    return ok
  } catch {
    return false
  }
}

export async function untilServerIsThere(): Promise<void> {
  while (!(await isServerThere())) await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
}

/** Leaves the app, or reloads it, only if there is something to show instead. */
export async function navigateIfThere(navigate: () => void): Promise<void> {
  if (await isServerThere()) navigate()
  else notify(OFFLINE.message, { kind: 'bad' })
}
