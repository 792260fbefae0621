import { test } from 'vitest'
import { killReplica, pauseReplica, restartDatabase } from './failures.ts'
import { ownPostgres } from './own-postgres.ts'
import { expectNothingLost } from './under-load.ts'

const postgres = ownPostgres()
const TIMEOUT = { timeout: 120_000 }
/** Longer than any replica waits for another one's transaction. */
const PAUSE_MS = 3_000

test('a replica that is killed loses nothing, and waits on it are answered by others', TIMEOUT, async () => {
  const report = await killReplica(postgres)
  expectNothingLost(report)
})

test('a replica that is paused holds nobody up for long, and goes on where it was', TIMEOUT, async () => {
  const report = await pauseReplica(postgres, PAUSE_MS)
  expectNothingLost(report)
})

// While it is away, everyone gets 503 `database_unavailable`.
test.each(['stop', 'kill'] as const)(
  'a database that is restarted (%s) loses nothing, and replicas serve again',
  TIMEOUT,
  async (how) => {
    const report = await restartDatabase(postgres, how)
    expectNothingLost(report)
  },
)
