import { expect, test, vi } from 'vitest'
import { createReader, NOW, startStreams } from '../../test/support/streams.ts'
import type { Store } from '../store/store.ts'
import { STREAM_LIMITS } from './streams.ts'

test('every stream is pinged regularly', async () => {
  const { open, add } = await startStreams({ limits: { tickMs: 5, pingMs: 20 } })
  const readers = [await open(), await open({ tag: 'never' })]
  await add('in between')
  for (const { got } of readers) {
    await vi.waitFor(() => expect(got.filter((name) => name === 'ping').length).toBeGreaterThan(2))
  }
  expect(STREAM_LIMITS.pingMs + STREAM_LIMITS.tickMs).toBeLessThan(10_000)
})

test('a stream ends when its maximum lifetime is over', async () => {
  const { open, streams } = await startStreams({ limits: { tickMs: 5, lifeMs: 50 } })
  const reader = await open()
  await vi.waitFor(() => expect(reader.state).toBe('ended'))
  expect(streams.count()).toBe(0)
  expect(STREAM_LIMITS.lifeMs).toBe(3_600_000)
})

test('streams end when their key is revoked or expires, those of other keys do not', async () => {
  const { open, store, addKey, clock, streams } = await startStreams({ limits: { tickMs: 5 } })
  const revoked = await addKey()
  const expiring = await addKey(NOW + 1_000)
  const other = await open()
  const ofRevoked = [await open({}, { key: revoked }), await open({}, { key: revoked })]
  const ofExpiring = await open({}, { key: expiring })
  await store.removeKey(revoked.keyId)
  await vi.waitFor(() => expect(ofRevoked.map(({ state }) => state)).toEqual(['ended', 'ended']))
  expect(ofExpiring.state).toBe('open')
  clock.now = NOW + 1_000
  await vi.waitFor(() => expect(ofExpiring.state).toBe('ended'))
  expect(other.state).toBe('open')
  expect(streams.count()).toBe(1)
})

test('endKey ends the streams of a key at once', async () => {
  const { open, addKey, streams, followers } = await startStreams()
  const key = await addKey()
  const reader = await open({}, { key })
  const other = await open()
  streams.endKey(key.keyId)
  expect([reader.state, other.state]).toEqual(['ended', 'open'])
  expect(followers.count()).toBe(1)
})

test('the database is queried once per key and check, for any number of streams', async () => {
  const asked = new Map<string, number>()
  const watch = (store: Store): Store => ({
    ...store,
    findPrincipal(hash) {
      asked.set(hash, (asked.get(hash) ?? 0) + 1)
      return store.findPrincipal(hash)
    },
  })
  const { open, addKey } = await startStreams({ watch, limits: { tickMs: 20 } })
  for (let count = 0; count < 20; count++) await open()
  await open({}, { key: await addKey() })
  asked.clear()
  const counts = () => Array.from(asked.values()).sort((one, other) => one - other)
  await vi.waitFor(() => expect(counts()).toEqual([expect.anything(), expect.anything()]))
  await vi.waitFor(() => expect(counts()[0]).toBeGreaterThan(2))
  // As often as a key with a single stream, except for a check in progress.
  const [fewest, most] = counts()
  expect(most).toBeLessThanOrEqual(fewest! + 1)
})

test('a stream whose client has disconnected is forgotten, also if the client left while the stream was opened', async () => {
  const { open, streams, followers, addKey } = await startStreams()
  const reader = await open()
  expect([streams.count(), followers.count()]).toEqual([1, 1])
  reader.gone()
  reader.gone()
  expect([streams.count(), followers.count()]).toEqual([0, 0])
  const { sink } = createReader(false)
  await streams.open({ principal: await addKey(), filter: {}, after: null }, (gone) => {
    gone()
    return sink
  })
  expect([streams.count(), followers.count()]).toEqual([0, 0])
})

test('when messages cannot be read, the stream is closed, so that its client reconnects', async () => {
  const watch = (store: Store): Store => ({ ...store, followMessages: () => Promise.reject(new Error('no database')) })
  const { add, open, log } = await startStreams({ watch })
  await add('stored')
  const reader = await open({}, { after: 0 })
  await vi.waitFor(() => expect(reader.state).toBe('cut'))
  expect(log.error).toHaveBeenCalledOnce()
})

test('closing asks every reader to reconnect, and refuses new ones', async () => {
  const { add, open, streams } = await startStreams()
  const reader = await open()
  await add('last')
  await vi.waitFor(() => expect(reader.got).toEqual(['last']))
  streams.close()
  expect(reader.got).toEqual(['last', 'come back'])
  expect(reader.state).toBe('ended')
  await expect(open()).rejects.toMatchObject({ code: 'shutting_down', status: 503 })
  expect(streams.count()).toBe(0)
})

test.each([
  { name: 'a key', limits: { perKey: 3, perProcess: 9 }, code: 'too_many_streams', status: 429 },
  { name: 'the process', limits: { perKey: 9, perProcess: 3 }, code: 'server_busy', status: 503 },
])('limit: $name cannot open more than its maximum of streams until one ends', async ({ limits, code, status }) => {
  const { open, addKey, streams } = await startStreams({ limits })
  const key = await addKey()
  const readers = [await open({}, { key }), await open({}, { key }), await open({}, { key })]
  await expect(open({}, { key })).rejects.toMatchObject({ code, status, headers: { 'retry-after': '1' } })
  readers[1]!.gone()
  await open({}, { key })
  await expect(open({}, { key })).rejects.toMatchObject({ code })
  expect(streams.count()).toBe(3)
  // Another key has its own limit, but the limit of the process applies too.
  const other = await open().catch((error: { code: string }) => error.code)
  expect(other === 'server_busy').toBe(limits.perProcess === 3)
  expect(STREAM_LIMITS).toMatchObject({ perKey: 1_000, perProcess: 10_000, waitingBytes: 1024 ** 2 })
})
