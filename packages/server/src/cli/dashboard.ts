import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Log } from '../log.ts'

/** There only in a clone; packages bring the dashboard built. */
const SCRIPT = fileURLToPath(new URL('../../../../scripts/build-dashboard.ts', import.meta.url))

/** Builds the dashboard if it is missing or older than its source, beside this process, which serves meanwhile. */
export async function buildDashboard(log: Pick<Log, 'error'>): Promise<void> {
  if (!import.meta.url.endsWith('.ts') || !existsSync(SCRIPT)) return
  // The compiler must not follow it: packages have no such file.
  const { isFresh } = (await import(pathToFileURL(SCRIPT).href)) as { isFresh: () => boolean }
  if (isFresh()) return
  console.log('The dashboard is being built; all else is ready.')
  const child = spawn(process.execPath, [SCRIPT], { stdio: ['ignore', 'inherit', 'inherit'] })
  child.on('exit', (code) => {
    if (code !== 0) log.error({ code }, 'the dashboard could not be built; all else works')
  })
  child.on('error', (error) => log.error({ err: error }, 'the dashboard could not be built; all else works'))
  process.once('exit', () => child.kill())
  child.unref()
}
