import { expect, test, vi } from 'vitest'
import { NOW, startStreams } from '../../test/support/streams.ts'
import type { MessageFilter } from '../domain/match.ts'
import { createLocalFeed } from '../feed/feed.ts'
import { messageFor, newId } from '../store/store-contract.ts'
import type { Store } from '../store/store.ts'

const DAY_MS = 86_400_000

const numbered = (count: number, name = 'message') =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1}`)

test('without a place to start from, a stream begins with what comes next', async () => {
  const { add, open } = await startStreams()
  await add('before')
  const { got } = await open()
  await add('after')
  await vi.waitFor(() => expect(got).toEqual(['after']))
})

test('after a position come those stored already, then those that come, each once and in order', async () => {
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

test('a cursor that lies in the future starts with what comes next', async () => {
  const { add, open } = await startStreams()
  const { got } = await open({}, { after: 1_000 })
  await add('first')
  await vi.waitFor(() => expect(got).toEqual(['first']))
})

test('since: everything received then or later, in order of visibility, whatever order it was received in', async () => {
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

test('since a time at which nothing has come yet', async () => {
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

test('what is pushed while a slow reader catches up comes after it, once', async () => {
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

test('a message that the last page and the feed both bring is sent once', async () => {
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

test('more than is kept for a reader that catches up is read from the store', async () => {
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

test('messages of one turn share a write', async () => {
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

test('a burst larger than that does not cut a reader that had taken everything before', async () => {
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

test('a message larger than that is still sent', async () => {
  const { add, open } = await startStreams({ limits: { waitingBytes: 100 } })
  const reader = await open()
  await add('x'.repeat(1_000))
  await add('next')
  await vi.waitFor(() => expect(reader.got).toEqual(['x'.repeat(1_000), 'next']))
})

test('what grows too old while it waits to be sent is not sent', async () => {
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
