import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** An opener that fails does so within this time. */
const OPEN_MS_MAX = 3_000

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` takes the first quoted argument as the window title.
  win32: ['cmd', '/c', 'start', '""'],
}

/** False if no browser could be opened. */
export async function openInBrowser(url: string): Promise<boolean> {
  const [name, ...words] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(name, [...words, url], { stdio: 'ignore', detached: true })
  try {
    const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(OPEN_MS_MAX) })) as [number | null]
    return code === 0
  } catch (error) {
    return error instanceof Error && error.name === 'AbortError'
  } finally {
    // Some browsers stay in the foreground. Only now, because unref earlier would let this process exit.
    child.unref()
  }
}
