import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { createLocalFeed, type Feed } from '../feed/feed.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import { createSqlStore } from '../store/sql-store.ts'
import { addMailbox, addTeam, messageFor } from '../store/store-contract.ts'
import { createFollowers } from './followers.ts'
import { createWaits, type WaitOptions } from './wait.ts'

function fail(error: unknown): never {
  throw error
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

async function start(feed: Feed = createLocalFeed()) {
  const store = createSqlStore(openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db')), { onError: fail })
  const followers = createFollowers({ store, feed, log: SILENT })
  onTestFinished(async () => {
    followers.close()
    await store.close()
  })
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  const waits = createWaits(followers)
  return {
    store,
    feed,
    team,
    mailbox,
    followers,
    waits,
    async add(tag: string) {
      await store.addMessage(mailbox, messageFor(mailbox, { tag }))
      feed.wake(team.id, null)
    },
    /** As intake of this process does it. */
    async addAtHand(tag: string) {
      const message = messageFor(mailbox, { tag })
      const position = await store.addMessage(mailbox, message)
      if (typeof position !== 'number') throw new Error(position)
      feed.wake(team.id, { ...message, position, mailboxId: mailbox.id, mailbox: 'qa', attachmentCount: 0 })
    },
    waitFor(tag: string, options: Partial<WaitOptions> = {}) {
      const view = { teamId: team.id, oldestReceivedAt: 0, filter: { tag } }
      const waiting = { keyId: 'key', waitMs: 30_000, onGone: () => {}, ...options }
      return waits.until(view, waiting, () => store.latestMessage(view, null))
    },
  }
}

test('a message that arrived before is found at once, and one that arrives later wakes the wait', async () => {
  const { add, waitFor, followers } = await start()
  await add('early')
  expect((await waitFor('early'))?.tag).toBe('early')
  const waiting = waitFor('late')
  await vi.waitFor(() => expect(followers.count()).toBe(1))
  await add('other')
  await add('late')
  expect((await waiting)?.tag).toBe('late')
  expect(followers.count()).toBe(0)
})

test('with every wake-up lost, a wait is late but correct', async () => {
  const { add, waitFor, followers } = await start({ wake() {}, subscribe: () => () => {} })
  const waiting = waitFor('late')
  await vi.waitFor(() => expect(followers.count()).toBe(1))
  await add('late')
  expect((await waiting)?.tag).toBe('late')
})

test('a match that this process has just stored is passed on, and others are read', async () => {
  const { add, addAtHand, store, team, waits } = await start()
  /** A held wait, and for each of its looks the tag of the match at hand. */
  async function hold(tag: string) {
    const view = { teamId: team.id, oldestReceivedAt: 0, filter: { tag } }
    const looks: (string | null)[] = []
    const found = waits.until(view, { keyId: 'key', waitMs: 30_000, onGone: () => {} }, async (arrived) => {
      looks.push(arrived && arrived.tag)
      return arrived ?? store.latestMessage(view, null)
    })
    await vi.waitFor(() => expect(looks).toEqual([null]))
    return { looks, found }
  }
  const here = await hold('here')
  await addAtHand('other')
  await addAtHand('here')
  expect((await here.found)?.tag).toBe('here')
  expect(here.looks).toEqual([null, 'here'])
  const elsewhere = await hold('elsewhere')
  await add('elsewhere')
  expect((await elsewhere.found)?.tag).toBe('elsewhere')
  expect(elsewhere.looks).toEqual([null, null])
})

test('a wait after a known position reads nothing until a message comes, and finds what came before the wait', async () => {
  const { addAtHand, add, store, team, waits, waitFor, followers } = await start()
  await addAtHand('earliest')
  const waiting = [waitFor('other'), waitFor('elsewhere')]
  await vi.waitFor(() => expect(followers.count()).toBe(2))
  function hold(tag: string, after: number) {
    const view = { teamId: team.id, oldestReceivedAt: 0, filter: { tag } }
    const looks: (string | null)[] = []
    const found = waits.until(view, { keyId: 'key', waitMs: 30_000, after, onGone: () => {} }, async (arrived) => {
      looks.push(arrived && arrived.tag)
      return arrived ?? store.latestMessage(view, after)
    })
    return { looks, found }
  }
  const cursor = await store.newestPosition(team.id)
  const later = hold('later', cursor)
  await addAtHand('between')
  await addAtHand('later')
  expect(await later.found).toMatchObject({ tag: 'later' })
  expect(later.looks).toEqual(['later'])
  const known = hold('later', cursor)
  expect(await known.found).toMatchObject({ tag: 'later' })
  expect(known.looks).toEqual([null])
  // Another process stored it, and it was read when its wake-up came.
  await add('elsewhere')
  await waiting[1]
  const elsewhere = hold('elsewhere', cursor)
  expect(await elsewhere.found).toMatchObject({ tag: 'elsewhere' })
  expect(elsewhere.looks).toEqual([null])
  // From before the first follower.
  expect(await hold('earliest', cursor - 1).found).toMatchObject({ tag: 'earliest' })
  await add('other')
  await waiting[0]
})

test('a message that is pushed early does not make others skipped', async () => {
  const { addAtHand, store, mailbox, waitFor, followers } = await start()
  const waiting = [waitFor('first'), waitFor('second')]
  await vi.waitFor(() => expect(followers.count()).toBe(2))
  await store.addMessage(mailbox, messageFor(mailbox, { tag: 'first' }))
  await addAtHand('second')
  expect((await Promise.all(waiting)).map((found) => found?.tag)).toEqual(['first', 'second'])
})

test('a message that arrives together with the end is found', async () => {
  const { addAtHand, feed, followers, team, waits } = await start()
  const leave = Promise.withResolvers<() => void>()
  const view = { teamId: team.id, oldestReceivedAt: 0, filter: { tag: 'last' } }
  const waiting = waits.until(view, { keyId: 'key', waitMs: 30_000, onGone: leave.resolve }, async (arrived) => arrived)
  await vi.waitFor(() => expect(followers.count()).toBe(1))
  // Subscribed later, so it ends the wait just after the message has woken it.
  feed.subscribe(team.id, await leave.promise)
  await addAtHand('last')
  expect(await waiting).toMatchObject({ tag: 'last' })
})

test('when the time is up the result is null, and the follower is removed', async () => {
  const { waitFor, followers } = await start()
  expect(await waitFor('never', { waitMs: 20 })).toBeNull()
  expect(followers.count()).toBe(0)
})

test('a wait whose client has disconnected ends, with what the view says of it', async () => {
  const { waits, team, followers } = await start()
  const leave = Promise.withResolvers<() => void>()
  let isGone = false
  const proceed = () => {
    if (isGone) throw new Error('gone')
  }
  const view = { teamId: team.id, oldestReceivedAt: 0, filter: { tag: 'never' }, proceed }
  const waiting = waits.until(view, { keyId: 'key', waitMs: 30_000, onGone: leave.resolve }, async () => null)
  const end = await leave.promise
  isGone = true
  end()
  await expect(waiting).rejects.toThrow('gone')
  expect(followers.count()).toBe(0)
})

test('closing ends held waits and refuses new ones with a 503', async () => {
  const { waits, waitFor, followers } = await start()
  const waiting = waitFor('never')
  await vi.waitFor(() => expect(followers.count()).toBe(1))
  waits.close()
  const refusal = { code: 'shutting_down', status: 503, headers: { 'retry-after': '1' } }
  await expect(waiting).rejects.toMatchObject(refusal)
  await expect(waitFor('never')).rejects.toMatchObject(refusal)
})

test('limit: one key holds 20,000 waits, the next one is refused with 429 until one ends', async () => {
  const { waits, team, followers } = await start()
  const ends: (() => void)[] = []
  const onGone = (end: () => void) => void ends.push(end)
  const view = { teamId: team.id, oldestReceivedAt: 0, filter: { tag: 'never' } }
  // There is no message, and 20,000 queries for one take seconds.
  const hold = (keyId = 'key') => waits.until(view, { keyId, waitMs: 30_000, onGone }, async () => null)
  const held = Array.from({ length: 20_000 }, () => hold())
  await expect(hold()).rejects.toMatchObject({ code: 'too_many_waits', status: 429 })
  const other = hold('another key')
  await vi.waitFor(() => expect(ends).toHaveLength(20_001))
  ends[0]!()
  expect(await held[0]).toBeNull()
  const again = hold()
  await vi.waitFor(() => expect(ends).toHaveLength(20_002))
  for (const end of ends) end()
  await Promise.all([...held, other, again])
  expect(followers.count()).toBe(0)
})
