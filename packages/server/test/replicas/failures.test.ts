import { test } from 'vitest'
import { killReplica, pauseReplica, restartDatabase } from './failures.ts'
import { ownPostgres } from './own-postgres.ts'
import { expectNothingLost } from './under-load.ts'

const postgres = ownPostgres()
const TIMEOUT = { timeout: 120_000 }
/** Longer than any replica waits for a transaction of another one. */
const PAUSE_MS = 3_000

test('a killed replica loses nothing, and others respond to its waits', TIMEOUT, async () => {
  const report = await killReplica(postgres)
  expectNothingLost(report)
})

test('a paused replica does not block others for long, and continues where it stopped', TIMEOUT, async () => {
  const report = await pauseReplica(postgres, PAUSE_MS)
  expectNothingLost(report)
})

// While the database is down, clients get 503 `database_unavailable`.
test.each(['stop', 'kill'] as const)(
  'a database restart (%s) loses nothing, and replicas serve again',
  TIMEOUT,
  async (how) => {
    const report = await restartDatabase(postgres, how)
    expectNothingLost(report)
  },
)
