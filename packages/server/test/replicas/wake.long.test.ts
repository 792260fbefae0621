import { expect, onTestFinished, test, vi } from 'vitest'
import { createPostgresFeed } from '../../src/feed/postgres-feed.ts'
import { administer } from '../support/postgres.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas } from './replicas.ts'
import { startSilentProxy } from './silent-proxy.ts'
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

test('a connection that is lost silently delays a wake-up by less than 5 s', async () => {
  const databaseUrl = await postgres.database()
  const proxy = await startSilentProxy(databaseUrl)
  onTestFinished(() => proxy.close())
  let woken = 0
  const [cut, other] = [proxy.url, databaseUrl].map((url) => createPostgresFeed({ url, onError() {} }))
  onTestFinished(() => Promise.all([cut!.close(), other!.close()]).then(() => {}))
  cut!.subscribe('team', () => void woken++)
  // After connecting, a feed wakes all listeners.
  await vi.waitFor(() => expect(woken).toBe(1))
  proxy.silence()
  const silentAt = performance.now()
  other!.wake('team', null)
  await vi.waitFor(() => expect(woken).toBeGreaterThan(1))
  expect(performance.now() - silentAt).toBeLessThan(LATE_MS_MAX)
})
