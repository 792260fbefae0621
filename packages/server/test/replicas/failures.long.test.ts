import { expect, test } from 'vitest'
import { killReplica, pauseReplica, restartDatabase } from './failures.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas } from './replicas.ts'
import { expectNothingLost } from './under-load.ts'

const postgres = ownPostgres()
const TIMEOUT = { timeout: 300_000 }

const threeReplicas = async () => startReplicas(await postgres.database())

test('a replica that is paused for 60 s loses nothing, and continues where it stopped', TIMEOUT, async () => {
  expectNothingLost(await pauseReplica(await threeReplicas(), 60_000))
})

test.each([1, 2, 3, 4, 5])('a replica is killed under load, round %i', TIMEOUT, async () => {
  expectNothingLost(await killReplica(await threeReplicas()))
})

test.each(['stop', 'kill', 'stop', 'kill'] as const)(
  'the database is restarted under load: %s',
  TIMEOUT,
  async (how) => {
    const report = await restartDatabase(postgres, await threeReplicas(), how)
    expectNothingLost(report)
    expect(report.backMs).toBeLessThan(10_000)
  },
)
