import { expect, test, vi } from 'vitest'
import { NOW, startStreams } from '../../test/support/streams.ts'
import type { MessageFilter } from '../domain/match.ts'
import { createLocalFeed } from '../feed/feed.ts'
import { messageFor, newId } from '../store/store-contract.ts'
import type { Store } from '../store/store.ts'

const DAY_MS = 86_400_000

const numbered = (count: number, name = 'message') =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1}`)

test('without a start position, a stream starts with the next message', async () => {
  const { add, open } = await startStreams()
  await add('before')
  const { got } = await open()
  await add('after')
  await vi.waitFor(() => expect(got).toEqual(['after']))
})

test('after a position a stream sends the stored messages, then new ones, each once and in order', async () => {
  const { add, addMany, open } = await startStreams()
  const stored = numbered(450, 'stored')
  for (const name of stored) await add(name)
  const { got } = await open({}, { after: 2 })
  const live = numbered(50, 'live')
  await addMany(live)
  await vi.waitFor(() => expect(got).toHaveLength(448 + 50))
  expect(got.slice(0, 448)).toEqual(stored.slice(2))
  expect(got.slice(448).toSorted()).toEqual(live.toSorted())
})

test('a cursor in the future starts with the next message', async () => {
  const { add, open } = await startStreams()
  const { got } = await open({}, { after: 1_000 })
  await add('first')
  await vi.waitFor(() => expect(got).toEqual(['first']))
})

test('since: all messages received at or after that time, in order of visibility', async () => {
  const { add, open } = await startStreams()
  const at = (seconds: number) => ({ receivedAt: NOW + seconds * 1000 })
  await add('too old', at(-1))
  await add('late', at(50))
  await add('old, but seen later', at(-1))
  await add('early', at(0))
  const { got } = await open({ since: NOW })
  await add('old, comes now', at(-1))
  await add('live', at(10))
  await vi.waitFor(() => expect(got).toEqual(['late', 'early', 'live']))
})

test('since a time after which nothing has arrived', async () => {
  const { add, open } = await startStreams()
  await add('old')
  const { got } = await open({ since: NOW + 1 })
  await add('new', { receivedAt: NOW + 1 })
  await vi.waitFor(() => expect(got).toEqual(['new']))
})

test('the first position of a view is found by time and mailbox', async () => {
  const { add, store, mailbox } = await startStreams()
  for (const offset of [0, 10, -1e9, 10]) await add('Hello', { receivedAt: NOW + offset })
  const first = (filter: MessageFilter, oldestReceivedAt = -1e15) =>
    store.firstPosition({ teamId: mailbox.teamId, oldestReceivedAt, filter })
  expect(await first({ since: NOW })).toBe(1)
  expect(await first({ since: NOW + 1 })).toBe(2)
  expect(await first({ since: NOW }, NOW + 1)).toBe(2)
  expect(await first({ since: -1e15, mailboxId: mailbox.id })).toBe(1)
  expect(await first({ since: NOW, mailboxId: newId() })).toBeNull()
  expect(await first({ since: NOW + 11 })).toBeNull()
})

test('messages that arrive while a slow reader catches up are sent after it has, once', async () => {
  const { add, open } = await startStreams()
  await add('stored')
  const reader = await open({}, { after: 0, isStalled: true })
  await vi.waitFor(() => expect(reader.writes).toBe(1))
  await add('meanwhile 1')
  await add('meanwhile 2')
  expect(reader.got).toEqual([])
  reader.resume()
  await vi.waitFor(() => expect(reader.got).toEqual(['stored', 'meanwhile 1', 'meanwhile 2']))
  await add('live')
  await vi.waitFor(() => expect(reader.got.slice(3)).toEqual(['live']))
})

test('a message that is in both the last page and the feed is sent once', async () => {
  const gate = Promise.withResolvers<void>()
  let asked = 0
  const watch = (store: Store): Store => ({
    ...store,
    async newestPosition(teamId) {
      asked++
      // A stream queries its start position, then how far to read. The second query of the second stream is held.
      if (asked === 4) await gate.promise
      return store.newestPosition(teamId)
    },
  })
  const { add, open } = await startStreams({ watch })
  const other = await open()
  const { got } = await open({}, { after: 0 })
  await vi.waitFor(() => expect(asked).toBe(4))
  await add('both ways')
  await vi.waitFor(() => expect(other.got).toEqual(['both ways']))
  gate.resolve()
  await add('live')
  await vi.waitFor(() => expect(got).toEqual(['both ways', 'live']))
})

test('more messages than are buffered for a reader that catches up are read from the store', async () => {
  const { add, open } = await startStreams()
  await add('stored')
  const reader = await open({}, { after: 0, isStalled: true })
  await vi.waitFor(() => expect(reader.writes).toBe(1))
  const large = numbered(5).map((name) => name + 'x'.repeat(100_000))
  for (const name of large) await add(name)
  reader.resume()
  await vi.waitFor(() => expect(reader.got).toEqual(['stored', ...large]))
  expect(reader.state).toBe('open')
})

test('messages of one turn are sent in one write', async () => {
  const { addMany, open } = await startStreams()
  const reader = await open()
  await addMany(numbered(300))
  await vi.waitFor(() => expect(reader.got).toHaveLength(300))
  expect(reader.writes).toBeLessThan(100)
})

test('limit: a reader with too many unread bytes is disconnected; another gets everything', async () => {
  const { add, open, streams } = await startStreams({ limits: { waitingBytes: 100 } })
  const stalled = await open({}, { isStalled: true })
  const other = await open()
  // 50 + 49 bytes are unread, then 100, then 101.
  const sent = ['a'.repeat(49), 'b'.repeat(48), '', '']
  for (const [index, subject] of sent.entries()) {
    expect(stalled.state, `before number ${index}`).toBe('open')
    await add(subject)
    await vi.waitFor(() => expect(other.got).toEqual(sent.slice(0, index + 1)))
  }
  expect(stalled.state).toBe('cut')
  expect(stalled.got).toEqual([])
  expect(streams.count()).toBe(1)
})

test('a burst larger than the limit does not disconnect a reader that had read everything before', async () => {
  const feed = createLocalFeed()
  const { store, mailbox, open } = await startStreams({ feed, limits: { waitingBytes: 1_000 } })
  const reader = await open()
  const names = numbered(2_000)
  await Promise.all(names.map((subject) => store.addMessage(mailbox, messageFor(mailbox, { subject }))))
  feed.wake(mailbox.teamId, null)
  await vi.waitFor(() => expect(reader.got).toHaveLength(2_000))
  expect(reader.got.toSorted()).toEqual(names.toSorted())
  expect(reader.state).toBe('open')
})

test('a message larger than the limit is still sent', async () => {
  const { add, open } = await startStreams({ limits: { waitingBytes: 100 } })
  const reader = await open()
  await add('x'.repeat(1_000))
  await add('next')
  await vi.waitFor(() => expect(reader.got).toEqual(['x'.repeat(1_000), 'next']))
})

test('a message that expires while it waits to be sent is not sent', async () => {
  const { add, open, clock } = await startStreams({ team: { plan: 'starter' } })
  const { got } = await open({}, { after: 0 })
  await add('young', { receivedAt: NOW - 14 * DAY_MS })
  await vi.waitFor(() => expect(got).toEqual(['young']))
  clock.now = NOW + 1
  await add('old', { receivedAt: NOW - 14 * DAY_MS })
  await add('younger', { receivedAt: NOW - 14 * DAY_MS + 1 })
  await vi.waitFor(() => expect(got).toEqual(['young', 'younger']))
  const again = await open({}, { after: 0 })
  await vi.waitFor(() => expect(again.got).toEqual(['younger']))
})
