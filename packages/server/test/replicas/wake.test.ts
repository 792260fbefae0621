import type { MessageSummary } from '@mailhatch/sdk'
import { expect, test, vi } from 'vitest'
import { openEvents } from '../support/event-stream.ts'
import { administer } from '../support/postgres.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas, type Replicas } from './replicas.ts'
import { measureWakes } from './wake-times.ts'

/** The maximum delay if a notification is lost. */
const LATE_MS_MAX = 5_000
const WAKES = 100

const postgres = ownPostgres()

const END_LISTENERS = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'mailhatch feed' and datname = current_database()`

/** Cuts the connection for notifications while everything else continues. */
const TELL_NOTHING = `
  create schema deaf;
  create function deaf.pg_notify(text, text) returns void language sql as '';
  do $$ begin
    execute format('alter database %I set search_path = deaf, pg_catalog, public', current_database());
  end $$;
  ${END_LISTENERS}`

/** A wait and a stream on the first replica. Resolves to how soon both received an announcement to the second. */
async function timeToHear({ urls, key, get, announce }: Replicas, tag: string): Promise<number> {
  const stream = await openEvents(`${urls[0]}/v1/messages/stream?tag=${tag}`, { key })
  const waiting = get(urls[0]!, `/v1/messages/latest?tag=${tag}&wait=30`)
  // The same process responds after the wait started, so the wait is held by now.
  await get(urls[0]!, '/v1/me')
  const announcedAt = performance.now()
  const stored = await announce(urls[1]!, { tag, mailbox: 'qa' })
  expect(stored.body).toMatchObject({ status: 'stored' })
  const { status, body } = await waiting
  expect([status, (body as { data?: MessageSummary }).data?.tag]).toEqual([200, tag])
  await vi.waitFor(() => expect(stream.messages.map((message) => message.tag)).toEqual([tag]), {
    timeout: LATE_MS_MAX,
    interval: 5,
  })
  stream.destroy()
  return performance.now() - announcedAt
}

test('a wait and a stream on one replica receive mail announced to another', async () => {
  const replicas = await startReplicas(await postgres.database())
  expect(await timeToHear(replicas, 'first')).toBeLessThan(LATE_MS_MAX)
  const times = await measureWakes({
    count: WAKES,
    hold: (tag) => replicas.get(replicas.urls[0]!, `/v1/messages/latest?tag=${tag}&wait=30`),
    announce: (tag) => replicas.announce(replicas.urls[1]!, { tag, mailbox: 'qa' }),
    isHeld: () => replicas.get(replicas.urls[0]!, '/v1/me'),
  })
  console.info(`woken across replicas: p50 ${times.p50.toFixed(1)} ms, p99 ${times.p99.toFixed(1)} ms of ${WAKES}`)
  // Far below the second after which replicas poll: the notification woke them.
  expect(times.p50).toBeLessThan(500)
})

test('with every notification lost, both are late by less than 5 s', async () => {
  const databaseUrl = await postgres.database()
  const replicas = await startReplicas(databaseUrl)
  await administer(databaseUrl, TELL_NOTHING)
  const times: number[] = []
  for (const tag of ['a', 'b', 'c', 'd', 'e', 'f']) times.push(await timeToHear(replicas, tag))
  expect(Math.max(...times)).toBeLessThan(LATE_MS_MAX)
  // The notifications were lost: some had to wait for the poll, which runs once a second.
  expect(Math.max(...times)).toBeGreaterThan(100)
})

test('listeners whose connections end repeatedly lose nothing and reconnect', async () => {
  const databaseUrl = await postgres.database()
  const replicas = await startReplicas(databaseUrl)
  for (const tag of ['a', 'b', 'c']) {
    await administer(databaseUrl, END_LISTENERS)
    expect(await timeToHear(replicas, tag)).toBeLessThan(LATE_MS_MAX)
  }
})
