import type { Log } from '../observe/log.ts'
import type { OnMigration } from '../store/migration-progress.ts'

/** Rare enough for a log, and often enough to see that a long start is not stuck. */
const EVERY_MS = 5_000

/** Logs the progress from time to time. A short migration logs nothing. */
export function logMigration(
  log: Pick<Log, 'info'>,
  now: () => number = performance.now.bind(performance),
): OnMigration {
  let loggedAt = now()
  return ({ table, done, total }) => {
    if (now() - loggedAt < EVERY_MS) return
    loggedAt = now()
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total)
    log.info({ table, done, total, percent }, 'migrating the database; the server starts when this is done')
  }
}
