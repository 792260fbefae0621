import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { mailboxNeed, needsOf } from '../domain/signature.ts'
import type { Mailbox } from './mailboxes.ts'
import { createSqlStore } from './sql-store.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { addMailbox, addTeam, messageFor } from './store-contract.ts'
import { BLOCKS_MAX, createTextTail, KEPT_MS } from './text-tail.ts'

const SIZE = 64
const NEEDLE = needsOf({ subject: ['needle'] })

function open() {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)), blockSize: Infinity })
  onTestFinished(() => store.close())
  const read = vi.spyOn(database, 'read')
  let passedMs = 0
  const tail = createTextTail(database, SIZE, () => passedMs)
  let last = 0
  return {
    read,
    passTime: (milliseconds: number) => (passedMs += milliseconds),
    addTeamMailbox: async () => addMailbox(store, await addTeam(store), 'qa'),
    async add(mailbox: Mailbox, subjects: string[]): Promise<void> {
      for (const subject of subjects) await store.addMessage(mailbox, messageFor(mailbox, { subject }))
      last += subjects.length
    },
    search: ({ teamId }: Mailbox, { first = 1, through = last, resets = 0, needs = NEEDLE, proceed = () => {} } = {}) =>
      tail.findCandidates({ teamId, resets, first, last: through }, needs, proceed),
  }
}

const hay = (count: number) => Array.from({ length: count }, (_, index) => `Straw ${index}`)

test('each message is read once, and searches at once share that', async () => {
  const { read, addTeamMailbox, add, search } = open()
  const mailbox = await addTeamMailbox()
  await add(mailbox, [...hay(100), 'A needle', ...hay(20)])
  read.mockClear()
  expect(await Promise.all([search(mailbox), search(mailbox), search(mailbox)])).toEqual([[101], [101], [101]])
  const reads = read.mock.calls.length
  expect(reads).toBeGreaterThan(0)
  expect(await search(mailbox)).toEqual([101])
  expect(read).toHaveBeenCalledTimes(reads)
  await add(mailbox, ['Another needle'])
  read.mockClear()
  expect(await search(mailbox)).toEqual([101, 122])
  expect(read).toHaveBeenCalledTimes(1)
})

test('only positions of the tail are candidates', async () => {
  const { addTeamMailbox, add, search } = open()
  const mailbox = await addTeamMailbox()
  await add(
    mailbox,
    Array.from({ length: 150 }, () => 'A needle'),
  )
  expect(await search(mailbox)).toHaveLength(150)
  expect(await search(mailbox, { first: 60, through: 70 })).toEqual(
    Array.from({ length: 11 }, (_, index) => 60 + index),
  )
  expect(await search(mailbox, { first: 151 })).toEqual([])
})

test('after a reset of the index, the messages are read again', async () => {
  const { read, addTeamMailbox, add, search } = open()
  const mailbox = await addTeamMailbox()
  await add(mailbox, ['A needle'])
  await search(mailbox)
  read.mockClear()
  await search(mailbox)
  expect(read).not.toHaveBeenCalled()
  expect(await search(mailbox, { resets: 1 })).toEqual([1])
  expect(read).toHaveBeenCalledTimes(1)
})

test('messages are signed again after some time, because a failover may have given their positions to others', async () => {
  const { read, passTime, addTeamMailbox, add, search } = open()
  const mailbox = await addTeamMailbox()
  await add(mailbox, ['A needle'])
  await search(mailbox)
  passTime(KEPT_MS - 1)
  read.mockClear()
  await search(mailbox)
  expect(read).not.toHaveBeenCalled()
  passTime(1)
  expect(await search(mailbox)).toEqual([1])
  expect(read).toHaveBeenCalledTimes(1)
})

test('a cancelled search stops signing, and the next one goes on', async () => {
  const { read, addTeamMailbox, add, search } = open()
  const mailbox = await addTeamMailbox()
  await add(mailbox, [...hay(30), 'A needle'])
  read.mockClear()
  let steps = 0
  const proceed = () => {
    if (++steps === 3) throw new Error('the client is gone')
  }
  await expect(search(mailbox, { proceed })).rejects.toThrow('the client is gone')
  expect(read).toHaveBeenCalledTimes(2)
  expect(await search(mailbox)).toEqual([31])
  expect(read).toHaveBeenCalledTimes(4)
})

test('a message has to meet all needs, each in one of its ways', async () => {
  const { addTeamMailbox, add, search } = open()
  const mailbox = await addTeamMailbox()
  await add(mailbox, ['A needle', 'A pin', 'A needle and a pin', 'Straw'])
  expect(await search(mailbox, { needs: needsOf({ subject: ['needle'], q: ['pin'] }) })).toEqual([3])
  expect(await search(mailbox, { needs: needsOf({ subject: ['needle', 'pin'] }) })).toEqual([1, 2, 3])
  expect(await search(mailbox, { needs: [...NEEDLE, mailboxNeed(mailbox.id)] })).toEqual([1, 3])
  expect(await search(mailbox, { needs: [...NEEDLE, mailboxNeed('another one')] })).toEqual([])
})

test('a failed read is repeated by the next search', async () => {
  const { read, addTeamMailbox, add, search } = open()
  const mailbox = await addTeamMailbox()
  await add(mailbox, [...hay(30), 'A needle'])
  read.mockRejectedValueOnce(new Error('the database failed'))
  await expect(search(mailbox)).rejects.toThrow('the database failed')
  expect(await search(mailbox)).toEqual([31])
})

test('the teams that searched last are kept, each with its own messages', async () => {
  const { read, addTeamMailbox, add, search } = open()
  const mailboxes: Mailbox[] = []
  for (let index = 0; index <= BLOCKS_MAX; index++) {
    const mailbox = await addTeamMailbox()
    await add(mailbox, index % 2 === 0 ? ['A needle'] : ['Straw'])
    mailboxes.push(mailbox)
  }
  const searchAll = () => Promise.all(mailboxes.map((mailbox) => search(mailbox, { through: 1 })))
  const found = mailboxes.map((_, index) => (index % 2 === 0 ? [1] : []))
  expect(await searchAll()).toEqual(found)
  read.mockClear()
  await search(mailboxes.at(-1)!, { through: 1 })
  expect(read).not.toHaveBeenCalled()
  await search(mailboxes[0]!, { through: 1 })
  expect(read).toHaveBeenCalledTimes(1)
  expect(await searchAll()).toEqual(found)
})
