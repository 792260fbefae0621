import { expect, test } from 'vitest'
import { administer } from '../support/postgres.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas } from './replicas.ts'
import { END_LISTENERS, TELL_NOTHING, timeToHear } from './wake.ts'

// How late they are is measured in wake.long.test.ts.
const postgres = ownPostgres()

test('a wait and a stream held on one replica are answered by mail announced to another', async () => {
  const replicas = await startReplicas(await postgres.database())
  for (const tag of ['a', 'b', 'c']) await timeToHear(replicas, tag)
})

test('with every notification lost, both are answered', async () => {
  const databaseUrl = await postgres.database()
  const replicas = await startReplicas(databaseUrl)
  await administer(databaseUrl, TELL_NOTHING)
  const times: number[] = []
  for (const tag of ['a', 'b', 'c', 'd', 'e', 'f']) times.push(await timeToHear(replicas, tag))
  // The notifications were indeed lost: some had to wait for the look that comes once a second.
  expect(Math.max(...times)).toBeGreaterThan(100)
})

test('listeners whose connections are ended again and again lose nothing and come back', async () => {
  const databaseUrl = await postgres.database()
  const replicas = await startReplicas(databaseUrl)
  for (const tag of ['a', 'b', 'c']) {
    await administer(databaseUrl, END_LISTENERS)
    await timeToHear(replicas, tag)
  }
})
