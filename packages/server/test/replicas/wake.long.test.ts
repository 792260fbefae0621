import { expect, test } from 'vitest'
import { administer } from '../support/postgres.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas } from './replicas.ts'
import { measureWakes } from './wake-times.ts'
import { END_LISTENERS, TELL_NOTHING, timeToHear } from './wake.ts'

/** The promise for a lost notification. */
const LATE_MS_MAX = 5_000
const WAKES = 100

const postgres = ownPostgres()

test('a wait on one replica is woken by mail announced to another, far faster than by polling', async () => {
  const replicas = await startReplicas(await postgres.database())
  const times = await measureWakes({
    count: WAKES,
    hold: (tag) => replicas.get(replicas.urls[0]!, `/v1/messages/latest?tag=${tag}&wait=30`),
    announce: (tag) => replicas.announce(replicas.urls[1]!, { tag, mailbox: 'qa' }),
    isHeld: () => replicas.get(replicas.urls[0]!, '/v1/me'),
  })
  console.info(`woken across replicas: p50 ${times.p50.toFixed(1)} ms, p99 ${times.p99.toFixed(1)} ms of ${WAKES}`)
  // Replicas poll once a second.
  expect(times.p50).toBeLessThan(100)
})

test.each([
  ['every notification lost', TELL_NOTHING, ''],
  ['connections that are ended again and again', '', END_LISTENERS],
])('with %s, a wait and a stream are late by less than 5 s', async (_, once, everyTime) => {
  const databaseUrl = await postgres.database()
  const replicas = await startReplicas(databaseUrl)
  await administer(databaseUrl, once)
  for (const tag of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await administer(databaseUrl, everyTime)
    expect(await timeToHear(replicas, tag)).toBeLessThan(LATE_MS_MAX)
  }
})
