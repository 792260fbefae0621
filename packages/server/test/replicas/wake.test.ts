import { expect, test } from 'vitest'
import { administer } from '../support/postgres.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas } from './replicas.ts'
import { END_LISTENERS, TELL_NOTHING, timeToHear } from './wake.ts'

// How late they are is measured in wake.long.test.ts.
const postgres = ownPostgres()

test('a wait and a stream on one replica receive mail announced to another', async () => {
  const replicas = await startReplicas(await postgres.database())
  for (const tag of ['a', 'b', 'c']) await timeToHear(replicas, tag)
})

test('with every notification lost, both receive it', async () => {
  const databaseUrl = await postgres.database()
  const replicas = await startReplicas(databaseUrl)
  await administer(databaseUrl, TELL_NOTHING)
  const times: number[] = []
  for (const tag of ['a', 'b', 'c', 'd', 'e', 'f']) times.push(await timeToHear(replicas, tag))
  // The notifications were lost: some had to wait for the poll, which runs once a second.
  expect(Math.max(...times)).toBeGreaterThan(100)
})

test('listeners whose connections end repeatedly lose nothing and reconnect', async () => {
  const databaseUrl = await postgres.database()
  const replicas = await startReplicas(databaseUrl)
  for (const tag of ['a', 'b', 'c']) {
    await administer(databaseUrl, END_LISTENERS)
    await timeToHear(replicas, tag)
  }
})
