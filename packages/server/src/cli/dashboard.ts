import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Log } from '../observe/log.ts'

/** Exists only in a clone; packages contain the built dashboard. */
const SCRIPT = fileURLToPath(new URL('../../../../scripts/build-dashboard.ts', import.meta.url))

/** Builds the dashboard in a child process if it is missing or outdated. The server runs meanwhile. */
export async function buildDashboard(log: Pick<Log, 'error'>): Promise<void> {
  if (!import.meta.url.endsWith('.ts') || !existsSync(SCRIPT)) return
  // A dynamic path, so that the compiler does not include the script: packages do not have it.
  const { isFresh } = (await import(pathToFileURL(SCRIPT).href)) as { isFresh: () => boolean }
  if (isFresh()) return
  console.log('Building the dashboard. Everything else is ready.')
  const child = spawn(process.execPath, [SCRIPT], { stdio: ['ignore', 'inherit', 'inherit'] })
  child.on('exit', (code) => {
    if (code !== 0) log.error({ code }, 'building the dashboard failed; everything else works')
  })
  child.on('error', (error) => log.error({ err: error }, 'building the dashboard failed; everything else works'))
  process.once('exit', () => child.kill())
  child.unref()
}
