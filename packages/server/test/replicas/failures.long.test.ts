import { expect, test } from 'vitest'
import { killReplica, pauseReplica, restartDatabase } from './failures.ts'
import { ownPostgres } from './own-postgres.ts'
import { expectNothingLost } from './under-load.ts'

const postgres = ownPostgres()
const TIMEOUT = { timeout: 300_000 }

test('a replica that is paused for 60 s loses nothing, and continues where it stopped', TIMEOUT, async () => {
  expectNothingLost(await pauseReplica(postgres, 60_000))
})

test.each([1, 2, 3, 4, 5])('a replica is killed under load, round %i', TIMEOUT, async () => {
  expectNothingLost(await killReplica(postgres))
})

test.each(['stop', 'kill', 'stop', 'kill'] as const)(
  'the database is restarted under load: %s',
  TIMEOUT,
  async (how) => {
    const report = await restartDatabase(postgres, how)
    expectNothingLost(report)
    expect(report.backMs).toBeLessThan(10_000)
  },
)
