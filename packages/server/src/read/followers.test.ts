import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lateStore } from '../../test/replicas/late-store.ts'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { createReader } from '../../test/support/streams.ts'
import { matches, type MessageFilter } from '../domain/match.ts'
import { createLocalFeed } from '../feed/feed.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import { createSqlStore } from '../store/sql-store.ts'
import { addMailbox, addTeam, messageFor, newId } from '../store/store-contract.ts'
import type { NewMessage, PassingMessage } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { createFollowers } from './followers.ts'
import { createStreams } from './streams.ts'
import { createWaits } from './wait.ts'

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

async function start(watch: (store: Store) => Store = (store) => store) {
  const store = createSqlStore(openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db')), { onError: fail })
  const feed = createLocalFeed()
  const followers = createFollowers({ store: watch(store), feed, log: SILENT })
  onTestFinished(async () => {
    followers.close()
    await store.close()
  })
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  return {
    store,
    feed,
    followers,
    team,
    mailbox,
    /** As intake does: the message is passed along with the wake-up. */
    async add(wish: Partial<NewMessage>): Promise<PassingMessage> {
      const message = messageFor(mailbox, wish)
      const position = await store.addMessage(mailbox, message)
      if (typeof position !== 'number') throw new Error(position)
      const passing = { ...message, position, mailboxId: mailbox.id, mailbox: 'qa', attachmentCount: 0 }
      feed.wake(team.id, passing)
      return passing
    },
    async follow(filter: MessageFilter) {
      const seen: string[] = []
      const unfollow = await followers.follow(team.id, filter, ({ subject }) => void seen.push(subject))
      return { seen, unfollow }
    },
  }
}

/** Holds the results of one kind of query until it is released. */
function gate() {
  const asked = Promise.withResolvers<void>()
  const open = Promise.withResolvers<void>()
  return {
    asked: asked.promise,
    open: open.resolve,
    async pass() {
      asked.resolve()
      await open.promise
    },
  }
}

/** More than those of a team that are remembered. */
const MANY_TAGS = 300

test('a message that came after a position is never denied, and others are known for the last tags', async () => {
  const { below, chance } = seededRandom(20261119)
  const { store, feed, followers, team, mailbox } = await start()
  const cameBefore = 3
  for (let index = 0; index < cameBefore; index++) await store.addMessage(mailbox, messageFor(mailbox, { tag: 't0' }))
  expect(followers.isNothingAfter(team.id, {}, cameBefore)).toBe(false)
  await followers.follow(team.id, { tag: 'none' }, () => {})
  expect(followers.isNothingAfter(team.id, { tag: 't0' }, cameBefore)).toBe(true)
  expect(followers.isNothingAfter(team.id, { tag: 't0' }, cameBefore - 1)).toBe(false)
  const tags: (string | null)[] = Array.from({ length: cameBefore }, () => 't0')
  const message = { ...messageFor(mailbox, {}), mailboxId: mailbox.id, mailbox: 'qa', attachmentCount: 0 }
  const said = { nothing: 0, wronglyNothing: 0, perhaps: 0 }
  for (let step = 0; step < 20_000; step++) {
    const tag = chance(0.1) ? null : `t${below(MANY_TAGS)}`
    tags.push(tag)
    feed.wake(team.id, { ...message, tag, position: tags.length })
    const asked = `t${below(MANY_TAGS)}`
    const after = Math.max(0, tags.length - below(step % 2 === 0 ? 10 : 1_000))
    const filter = step % 3 === 0 ? { mailbox: { name: 'qa', tag: asked, domain: null } } : { tag: asked }
    const hasCome = after < cameBefore || tags.lastIndexOf(asked) >= after
    const isNothing = followers.isNothingAfter(team.id, filter, after)
    if (isNothing) said[hasCome ? 'wronglyNothing' : 'nothing']++
    else if (hasCome) said.perhaps++
    expect(followers.isNothingAfter(team.id, {}, after)).toBe(after >= tags.length)
  }
  expect(said.wronglyNothing).toBe(0)
  expect(said.nothing).toBeGreaterThan(5_000)
  expect(said.perhaps).toBeGreaterThan(1_000)
})

test('while there is more to read, and after reading failed, a message may have come', async () => {
  const held = gate()
  let isAway = true
  const watch = (store: Store): Store => ({
    ...store,
    async passingMessages(...given) {
      if (!isAway) return store.passingMessages(...given)
      await held.pass()
      throw new Error('the database is away')
    },
  })
  const { store, feed, followers, team, mailbox, follow } = await start(watch)
  await follow({ tag: 'none' })
  const isNothing = () => followers.isNothingAfter(team.id, { tag: 'x' }, 0)
  expect(isNothing()).toBe(true)
  await store.addMessage(mailbox, messageFor(mailbox, { tag: 'y' }))
  feed.wake(team.id, null)
  await held.asked
  expect(isNothing()).toBe(false)
  held.open()
  await nextTurn()
  expect(isNothing()).toBe(false)
  isAway = false
  feed.wake(team.id, null)
  await vi.waitFor(() => expect(isNothing()).toBe(true))
})

test('when the database has lost messages, those that get their positions are followed', async () => {
  const lost = 10
  const watch = (store: Store): Store => ({ ...store, newestPosition: async () => lost })
  const { add, followers, team, follow } = await start(watch)
  const { seen } = await follow({})
  expect(followers.isNothingAfter(team.id, { tag: 'x' }, lost)).toBe(true)
  await vi.waitFor(() => expect(followers.isNothingAfter(team.id, {}, 0)).toBe(true), { timeout: 10_000 })
  // A cursor of one of the lost messages.
  expect(followers.isNothingAfter(team.id, { tag: 'x' }, lost - 1)).toBe(false)
  await add({ subject: 'first of the rest' })
  expect(seen).toEqual(['first of the rest'])
})

describe('concurrent reads', () => {
  test('a read without bodies does not skip messages that a new follower looks for in bodies', async () => {
    const held = gate()
    const watch = (store: Store): Store => ({
      ...store,
      async passingMessages(...given) {
        await held.pass()
        return store.passingMessages(...given)
      },
    })
    const { feed, team, store, mailbox, follow } = await start(watch)
    const anything = await follow({})
    feed.wake(team.id, null)
    await held.asked
    const byText = await follow({ text: ['secret word'] })
    await store.addMessage(mailbox, messageFor(mailbox, { subject: 'hit', text: 'the secret word' }))
    await store.addMessage(mailbox, messageFor(mailbox, { subject: 'miss', text: 'nothing' }))
    held.open()
    await vi.waitFor(() => expect(anything.seen).toEqual(['hit', 'miss']))
    expect(byText.seen).toEqual(['hit'])
  })

  test('a message that wakes a follower before its start position is known is shown once', async () => {
    const held = gate()
    const watch = (store: Store): Store => ({
      ...store,
      async newestPosition(teamId) {
        const newest = await store.newestPosition(teamId)
        await held.pass()
        return newest
      },
    })
    const { add, follow } = await start(watch)
    const following = follow({})
    await held.asked
    await add({ subject: 'first' })
    held.open()
    const { seen } = await following
    await add({ subject: 'second' })
    await vi.waitFor(() => expect(seen).toEqual(['first', 'second']))
  })

  test('a wait whose client disconnects before the wait has started ends at once', async () => {
    const held = gate()
    const watch = (store: Store): Store => ({
      ...store,
      async newestPosition(teamId) {
        await held.pass()
        return store.newestPosition(teamId)
      },
    })
    const { followers, team } = await start(watch)
    let leave = () => {}
    const view = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
    const options = { keyId: 'key', waitMs: 60_000, onGone: (end: () => void) => void (leave = end) }
    const waiting = createWaits(followers).until(view, options, async () => null)
    await held.asked
    leave()
    held.open()
    expect(await waiting).toBeNull()
    expect(followers.count()).toBe(0)
  })
})

test('one query a second finds new messages of any number of teams', async () => {
  const asked: string[][] = []
  const passing = vi.fn<Store['passingMessages']>()
  const watch = (store: Store): Store => ({
    ...store,
    newestPositions(teamIds) {
      asked.push(teamIds)
      return store.newestPositions(teamIds)
    },
    passingMessages: passing.mockImplementation((...given) => store.passingMessages(...given)),
  })
  const { store, followers } = await start(watch)
  const seen: string[] = []
  const teams = await Promise.all(Array.from({ length: 50 }, () => addTeam(store)))
  for (const { id } of teams) await followers.follow(id, {}, ({ subject }) => void seen.push(subject))
  // The second query may have ended while they arrived.
  asked.length = 0
  const mailbox = await addMailbox(store, teams[7]!, 'qa')
  // Another process stores it, without a wake-up.
  await store.addMessage(mailbox, messageFor(mailbox, { subject: 'untold' }))
  await vi.waitFor(() => expect(seen).toEqual(['untold']))
  expect(asked.map((teamIds) => teamIds.length)).toEqual(asked.map(() => 50))
  expect(passing.mock.calls.map(([teamId]) => teamId)).toEqual([teams[7]!.id])
})

/** Followers that join and leave while mail arrives. Each must see all matches after it joined, once and in order. */
const FILTERS: MessageFilter[] = [
  {},
  { tag: 'red' },
  { text: ['needle'] },
  { tag: 'blue', q: ['needle'] },
  { mailbox: { name: 'qa', tag: null, domain: null } },
  { mailbox: { name: 'qa', tag: 'red', domain: null } },
]
const MESSAGES = 400

test.each([1, 2, 3])('followers that start and stop miss nothing during slow reads (seed %i)', async (seed) => {
  const random = seededRandom(seed)
  const { store, followers, team, mailbox, add } = await start((real) => lateStore(real, random, 8))
  const filters = [...FILTERS, { mailboxId: mailbox.id }]
  const added: PassingMessage[] = []
  const wrong: string[] = []

  async function write(): Promise<void> {
    while (added.length < MESSAGES) {
      const text = random.pick(['a needle', 'hay'])
      added.push(await add({ subject: newId(), tag: random.pick(['red', 'blue', null]), text }))
      await delay(random.below(6))
    }
  }

  async function followForAWhile(): Promise<void> {
    while (added.length < MESSAGES) {
      const filter = random.pick(filters)
      const seen: number[] = []
      const unfollow = await followers.follow(team.id, filter, ({ position }) => void seen.push(position))
      // A message is visible some time before `add` has returned it.
      const from = await store.newestPosition(team.id)
      await delay(random.below(100))
      const upTo = Math.max(0, ...added.map(({ position }) => position))
      const due = added
        .filter((message) => message.position > from && message.position <= upTo && matches(filter, message))
        .map(({ position }) => position)
        .sort((a, b) => a - b)
      await vi.waitUntil(() => due.every((position) => seen.includes(position))).catch(() => {})
      unfollow()
      if (seen.some((position, index) => index > 0 && position <= seen[index - 1]!)) wrong.push(`order: ${seen.join()}`)
      const missed = due.filter((position) => !seen.includes(position))
      if (missed.length > 0) wrong.push(`${JSON.stringify(filter)} missed ${missed.join()}`)
    }
  }

  await Promise.all([...Array.from({ length: 4 }, write), ...Array.from({ length: 12 }, followForAWhile)])
  expect(wrong).toEqual([])
  expect(followers.count()).toBe(0)
})

test.each([4, 5])('streams that start anywhere miss and repeat nothing during slow reads (seed %i)', async (seed) => {
  const random = seededRandom(seed)
  const { add, store, followers, team } = await start((real) => lateStore(real, random, 8))
  const frames = {
    message: ({ subject }: { subject: string }) => Buffer.from(`${subject}\n`),
    ping: Buffer.from('ping\n'),
    reconnect: Buffer.from('come back\n'),
  }
  const ports = { store: lateStore(store, random, 8), followers, frames, log: SILENT, now: Date.now }
  const streams = createStreams(ports)
  onTestFinished(() => streams.close())
  const key = { id: newId(), teamId: team.id, name: 'key', masked: '', hash: 'hash', createdAt: 0 }
  await store.addKey({ ...key, scopes: ['email.full'], mailboxId: null, expiresAt: null })
  const principal = (await store.findPrincipal('hash'))!
  const names = Array.from({ length: MESSAGES }, (_, index) => `message ${index}`)
  const readers: ReturnType<typeof createReader>[] = []
  const opening: Promise<void>[] = []
  for (const [index, name] of names.entries()) {
    await add({ subject: name, text: 'a needle' })
    if (index % 10 !== 0) continue
    const reader = createReader(random.chance(0.2))
    readers.push(reader)
    const filter = random.pick<MessageFilter>([{}, { text: ['needle'] }])
    opening.push(streams.open({ principal, filter, after: 0 }, () => reader.sink))
  }
  await Promise.all(opening)
  for (const reader of readers) reader.resume()
  const messagesOf = ({ got }: { got: string[] }) => got.filter((line) => line !== 'ping')
  for (const reader of readers) await vi.waitFor(() => expect(messagesOf(reader)).toEqual(names))
})

function fail(error: unknown): never {
  throw error
}
