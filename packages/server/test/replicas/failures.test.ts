import { beforeAll, test } from 'vitest'
import { afterTheFile } from '../support/file-life.ts'
import { killReplica, pauseReplica, restartDatabase } from './failures.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas, type Replicas } from './replicas.ts'
import { expectNothingLost } from './under-load.ts'

const postgres = ownPostgres()
/** Longer than any replica waits for a transaction of another one. */
const PAUSE_MS = 3_000

/** Each test leaves three that run. */
let replicas: Replicas
const whenOver = afterTheFile()
beforeAll(async () => {
  replicas = await startReplicas(await postgres.database(), { whenOver })
})

test('a killed replica loses nothing, and others respond to its waits', async () => {
  const report = await killReplica(replicas)
  expectNothingLost(report)
})

test('a paused replica does not block others for long, and continues where it stopped', async () => {
  const report = await pauseReplica(replicas, PAUSE_MS)
  expectNothingLost(report)
})

// While the database is down, clients get 503 `database_unavailable`. The long form also stops it.
test('a database that is killed and started again loses nothing, and replicas serve again', async () => {
  const report = await restartDatabase(postgres, replicas, 'kill')
  expectNothingLost(report)
})
