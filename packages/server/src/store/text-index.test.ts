import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import type { Database } from './database.ts'
import { assemble, sql, type Sql } from './sql.ts'
import { createSqlStore } from './sql-store.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { addMailbox, addTeam, messageFor } from './store-contract.ts'
import type { Mailbox } from './mailboxes.ts'
import type { NewMessage } from './messages.ts'
import type { Store } from './store.ts'
import {
  addToBits,
  BLOCK_SIZE,
  dropEmptyBlocks,
  emptyBits,
  forgetIndexOf,
  readIndexState,
  writeBlock,
} from './text-block.ts'

/** Smaller blocks than usual make the tests faster. */
const SIZE = 256
const ENOUGH = 2 * SIZE

function openStore({ path = join(temporaryFolder(), 'mailhatch.db'), blockSize = SIZE } = {}) {
  const database = openSqliteDatabase(path)
  const read = vi.spyOn(database, 'read')
  const onError = vi.fn<(error: unknown) => void>()
  const store = createSqlStore(database, { onError, blockSize })
  onTestFinished(() => store.close())
  return { database, store, read, onError }
}

async function addMessages(store: Store, mailbox: Mailbox, messages: Partial<NewMessage>[]): Promise<void> {
  await Promise.all(messages.map((wish) => store.addMessage(mailbox, messageFor(mailbox, wish))))
}

const hay = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ subject: `Straw ${index}`, text: 'Only hay' }))

async function teamWith(store: Store, messages: Partial<NewMessage>[]): Promise<Mailbox> {
  const mailbox = await addMailbox(store, await addTeam(store), 'qa')
  await addMessages(store, mailbox, messages)
  return mailbox
}

function firstStep({ first }: { first: number }): { from: number; before: number } {
  return { from: first, before: first + 8 }
}

async function untilIndexed(database: Database, teamId: string, through: number): Promise<void> {
  await vi.waitFor(async () => expect((await readIndexState(database, teamId))?.indexedThrough).toBe(through))
}

async function count(database: Database, table: Sql): Promise<number> {
  const [row] = await database.read<{ count: number }>(sql`select count(*) as count from ${table}`)
  return row!.count
}

function positionsOf(store: Store, { teamId }: Mailbox, filter: object): Promise<number[]> {
  return store
    .listMessages({ teamId, oldestReceivedAt: 0, filter }, { limit: 100, before: null })
    .then((messages) => messages.map(({ position }) => position))
}

test('a block is indexed when its last position is assigned, and not before', async () => {
  const { database, store } = openStore()
  const mailbox = await teamWith(store, hay(SIZE - 2))
  const other = await teamWith(store, hay(SIZE - 1))
  await untilIndexed(database, other.teamId, SIZE - 1)
  expect(await readIndexState(database, mailbox.teamId)).toMatchObject({ indexedThrough: 0 })
  await addMessages(store, mailbox, hay(1))
  await untilIndexed(database, mailbox.teamId, SIZE - 1)
  expect(await count(database, sql`index_blocks`)).toBe(2)
})

test('messages that an earlier run did not index are indexed by the next', async () => {
  const path = join(temporaryFolder(), 'mailhatch.db')
  const first = openStore({ path, blockSize: Infinity })
  const mailbox = await teamWith(first.store, hay(ENOUGH))
  expect(await readIndexState(first.database, mailbox.teamId)).toMatchObject({ indexedThrough: 0 })
  await untilIndexed(openStore({ path }).database, mailbox.teamId, ENOUGH - 1)
})

test('several processes may index the same messages', async () => {
  const path = join(temporaryFolder(), 'mailhatch.db')
  const first = openStore({ path, blockSize: Infinity })
  const messages = hay(ENOUGH)
  messages[300] = { subject: 'A needle', text: '' }
  const mailbox = await teamWith(first.store, messages)
  const stores = [openStore({ path }), openStore({ path }), openStore({ path })]
  for (const { database } of stores) await untilIndexed(database, mailbox.teamId, ENOUGH - 1)
  for (const { store, onError } of stores) {
    expect(await positionsOf(store, mailbox, { subject: ['needle'] })).toEqual([301])
    expect(onError).not.toHaveBeenCalled()
  }
  expect(await count(first.database, sql`index_blocks`)).toBe(2)
})

test.each([
  ['subject', { subject: ['needle'] }, { subject: 'A needle' }],
  ['sender', { from: ['needle'] }, { from: 'needle@shop.example' }],
  ['body', { text: ['needle'] }, { text: 'There is a needle in it' }],
  ['body by q', { q: ['needle'] }, { text: 'There is a needle in it' }],
  ['header', { header: { name: 'x-needle', value: 'yes' } }, { headers: [{ name: 'X-Needle', value: 'yes' }] }],
  ['very long body', { text: ['needle'] }, { text: `${'ä'.repeat(100_000)} needle` }],
  [
    'very long header',
    { header: { name: 'x-needle', value: 'y'.repeat(70_000) } },
    { headers: [{ name: 'X-Needle', value: 'y'.repeat(70_000) }] },
  ],
])('a rare text is found without reading the rest: %s', async (_, filter, needle) => {
  const { database, store, read } = openStore()
  const mailbox = await teamWith(store, [...hay(300), needle, ...hay(ENOUGH - 302)])
  await untilIndexed(database, mailbox.teamId, ENOUGH - 1)
  read.mockClear()
  expect(await positionsOf(store, mailbox, filter)).toEqual([301])
  const looked = read.mock.calls
    .map(([query]) => assemble(query))
    .filter(({ text }) => text.includes('from messages m'))
  expect(looked).toHaveLength(1)
  expect(looked[0]!.values).toContain('[301]')
})

test('every message of a block is found at its own position', async () => {
  const { database, store } = openStore()
  const subject = (position: number) => `Needle ${(position * 7_919).toString(36)} of its own`
  const mailbox = await teamWith(
    store,
    hay(ENOUGH).map((message, index) => ({ ...message, subject: subject(index + 1) })),
  )
  await untilIndexed(database, mailbox.teamId, ENOUGH - 1)
  for (let position = SIZE; position < SIZE + 40; position++) {
    expect(await positionsOf(store, mailbox, { subject: [subject(position).toLowerCase()] })).toEqual([position])
  }
})

test('a frequent text is found without reading all blocks', async () => {
  const { database, store, read } = openStore()
  const mailbox = await teamWith(
    store,
    hay(3 * SIZE).map((message, index) => ({ ...message, receivedAt: index })),
  )
  await untilIndexed(database, mailbox.teamId, 3 * SIZE - 1)
  read.mockClear()
  const found = await positionsOf(store, mailbox, { subject: ['straw'] })
  expect(found[0]).toBe(3 * SIZE)
  expect(found).toHaveLength(101)
  // A slow step is followed by shorter ones, so a list may have a single position.
  const queries = read.mock.calls.map(([query]) => assemble(query))
  const checks = queries.filter(({ text }) => text.includes('from messages m'))
  const positions = checks.flatMap(({ values }) => values.filter((value) => /^\[\d/.test(String(value))))
  expect(Math.min(...positions.flatMap((list) => JSON.parse(String(list)) as number[]))).toBe(2 * SIZE)
})

test('a search yields after each step', async () => {
  const { database, store, read } = openStore()
  const mailbox = await teamWith(store, hay(ENOUGH))
  await untilIndexed(database, mailbox.teamId, ENOUGH - 1)
  read.mockClear()
  let turns = 0
  let isSearching = true
  const takeTurn = () => {
    turns++
    if (isSearching) setImmediate(takeTurn)
  }
  setImmediate(takeTurn)
  const found = await positionsOf(store, mailbox, { subject: ['straw 77'], text: ['only'] })
  isSearching = false
  expect(found).toContain(78)
  const looks = read.mock.calls.filter(([query]) => assemble(query).text.includes('message_contents'))
  expect(looks.length).toBeGreaterThan(0)
  expect(turns).toBeGreaterThanOrEqual(looks.length)
})

test.each([
  ['long', 20_000, 7],
  ['short', 200, 0],
])('building a block yields after each long message: %s', async (_, length, turnsWanted) => {
  const { database, store } = openStore({ blockSize: Infinity })
  const { teamId } = await teamWith(
    store,
    hay(20).map((message) => ({ ...message, text: 'x'.repeat(length) })),
  )
  const range = { teamId, first: 0, size: SIZE }
  let turns = 0
  let isBuilding = true
  const takeTurn = () => {
    turns++
    if (isBuilding) setImmediate(takeTurn)
  }
  setImmediate(takeTurn)
  await addToBits(database, range, emptyBits(range), firstStep(range))
  isBuilding = false
  expect(turns).toBe(turnsWanted)
})

test('a mailbox whose messages changed is indexed again, and a block started before is discarded', async () => {
  const { database, store } = openStore({ blockSize: BLOCK_SIZE })
  const mailbox = await teamWith(store, hay(2 * BLOCK_SIZE))
  const late = await addMailbox(
    store,
    { id: mailbox.teamId, name: 'Team', plan: 'enterprise', retentionDays: null, domain: mailbox.domain },
    'late',
  )
  await addMessages(store, late, hay(BLOCK_SIZE))
  await untilIndexed(database, mailbox.teamId, 3 * BLOCK_SIZE - 1)

  const range = { teamId: mailbox.teamId, first: 2 * BLOCK_SIZE, size: BLOCK_SIZE }
  await database.write(forgetIndexOf(mailbox.teamId, late.id))
  const state = (await readIndexState(database, mailbox.teamId))!
  expect(state).toMatchObject({ indexedThrough: 2 * BLOCK_SIZE - 1, resets: 1 })
  const block = emptyBits(range)
  await addToBits(database, range, block, firstStep(range))
  await database.write(
    forgetIndexOf(mailbox.teamId, late.id),
    sql`update messages set mailbox_with_tag_folded = 'renamed' where mailbox_id = ${late.id}`,
  )
  await database.write(...writeBlock(database.dialect, range, block, state))
  expect(await readIndexState(database, mailbox.teamId)).toMatchObject({
    indexedThrough: 2 * BLOCK_SIZE - 1,
    resets: 2,
  })

  // The end of the next block reminds the indexer of the team.
  await addMessages(store, mailbox, hay(BLOCK_SIZE))
  await untilIndexed(database, mailbox.teamId, 4 * BLOCK_SIZE - 1)
  expect(await positionsOf(store, mailbox, { q: ['renamed'] })).toHaveLength(101)

  await database.write(forgetIndexOf(mailbox.teamId, mailbox.id))
  expect(await readIndexState(database, mailbox.teamId)).toMatchObject({ indexedThrough: -1 })
  await database.write(forgetIndexOf(mailbox.teamId, 'no such mailbox'))
  expect(await readIndexState(database, mailbox.teamId)).toMatchObject({ indexedThrough: -1 })
})

test('empty blocks are dropped with their slices, a few at a time', async () => {
  const { database, store } = openStore({ blockSize: BLOCK_SIZE })
  const mailbox = await teamWith(store, hay(3 * BLOCK_SIZE))
  await untilIndexed(database, mailbox.teamId, 3 * BLOCK_SIZE - 1)
  const slices = await count(database, sql`index_slices`)
  const firstOnes = (length: number) => Array.from({ length }, (_, index) => index + 1)

  expect(await database.write(dropEmptyBlocks(mailbox.teamId, 10))).toEqual([0])
  await store.removeMessages(mailbox.teamId, firstOnes(BLOCK_SIZE - 2), 0)
  expect(await database.write(dropEmptyBlocks(mailbox.teamId, 10))).toEqual([0])
  await store.removeMessages(mailbox.teamId, firstOnes(BLOCK_SIZE), 0)
  expect(await database.write(dropEmptyBlocks(mailbox.teamId, 10))).toEqual([1])
  expect(await count(database, sql`index_slices`)).toBeLessThan(slices)
  expect(await positionsOf(store, mailbox, { subject: [`straw ${BLOCK_SIZE + 9}`] })).toEqual([BLOCK_SIZE + 10])

  await store.removeMessages(mailbox.teamId, firstOnes(3 * BLOCK_SIZE), 0)
  expect(await database.write(dropEmptyBlocks(mailbox.teamId, 1))).toEqual([1])
  expect(await database.write(dropEmptyBlocks(mailbox.teamId, 1))).toEqual([1])
  expect(await count(database, sql`index_blocks`)).toBe(0)
  expect(await count(database, sql`index_slices`)).toBe(0)
})

test('a failure is reported, and the block is indexed with the next one', async () => {
  const { database, store, onError } = openStore()
  const mailbox = await teamWith(store, hay(SIZE - 2))
  const failure = new Error('the disk is full')
  // The store holds its own reference to the method, so only the indexer fails.
  const write = vi.spyOn(database, 'writeFor').mockRejectedValueOnce(failure)
  await addMessages(store, mailbox, hay(1))
  await vi.waitFor(() => expect(onError).toHaveBeenCalledExactlyOnceWith(failure))
  expect(write).toHaveBeenCalledTimes(1)
  expect(await readIndexState(database, mailbox.teamId)).toMatchObject({ indexedThrough: 0 })
  await addMessages(store, mailbox, hay(SIZE))
  await untilIndexed(database, mailbox.teamId, 2 * SIZE - 1)
})
