import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { watchWriter } from '../../test/support/watched-writer.ts'
import { isOutOfSpace, openForReading, openForWriting, prepareDatabase } from './connection.ts'
import { TRANSACTIONS_PER_COMMIT } from './serve-writers.ts'
import type { Statement, Value } from './transactions.ts'
import { openWriter } from './writer.ts'

function step(text: string, ...values: Value[]): Statement {
  return { text, values, isRequired: false }
}

function insert(number: number): Statement {
  return step('insert into numbers (number) values (?)', number)
}

function open(threadUrl?: URL, onCommit?: (ms: number) => void, keepMs?: number) {
  const path = join(temporaryFolder(), 'test.db')
  prepareDatabase(path, (connection) => {
    connection.exec('create table numbers (number integer primary key) strict; create table blobs (body blob) strict')
  })
  const writer = openWriter(path, { threadUrl, onCommit, keepMs })
  const reader = openForReading(path)
  onTestFinished(async () => {
    await writer.close()
    reader.close()
  })
  return {
    path,
    write: writer.write,
    close: writer.close,
    numbers: () =>
      reader
        .prepare('select number from numbers order by number')
        .all()
        .map(({ number }) => number),
    blobs: () =>
      reader
        .prepare('select body from blobs')
        .all()
        .map(({ body }) => body),
  }
}

test('a commit is on the disk when it returns', () => {
  const connection = openForWriting(join(temporaryFolder(), 'test.db'))
  const pragma = (name: string) => Object.values(connection.prepare(`pragma ${name}`).get()!)[0]
  const FULL = 2
  expect(pragma('synchronous')).toBe(FULL)
  expect(pragma('journal_mode')).toBe('wal')
  expect(pragma('foreign_keys')).toBe(1)
  connection.close()
})

test('a write is visible when its promise resolves', async () => {
  const { write, numbers } = open()
  await Promise.all(
    [1, 2, 3].map(async (number) => {
      await write([insert(number)])
      expect(numbers()).toContain(number)
    }),
  )
})

test('the time of each commit is reported, and none for a failed transaction', async () => {
  const commits: number[] = []
  const { write } = open(undefined, (ms) => commits.push(ms))
  await write([insert(1)])
  await expect(write([insert(1)])).rejects.toThrow('UNIQUE')
  await write([insert(2)])
  expect(commits).toEqual([expect.any(Number), expect.any(Number)])
  expect(Math.min(...commits)).toBeGreaterThan(0)
})

test('a failed transaction is rolled back completely, and the others of its commit are kept', async () => {
  const { write, numbers } = open()
  const outcomes = await Promise.allSettled([
    write([insert(1)]),
    write([insert(2), insert(1)]),
    write([insert(3)]),
    write([insert(3), insert(4)]),
    write([insert(5)]),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { message: expect.stringContaining('UNIQUE') } })
  expect(numbers()).toEqual([1, 3, 5])
})

test('after a required statement without a row, the rest is skipped', async () => {
  const { write, numbers } = open()
  const onlyNew = {
    ...step('insert into numbers (number) values (?) on conflict do nothing returning number', 1),
    isRequired: true,
  }
  expect(await write([onlyNew, insert(2)])).toEqual([[{ number: 1 }], 1])
  expect(await write([onlyNew, insert(3)])).toEqual([[]])
  expect(numbers()).toEqual([1, 2])
})

test('transactions of one turn share a commit, and more than fit into one are all written', async () => {
  let commits = 0
  const { write, numbers } = open(watchWriter({ onCommit: () => commits++ }).threadUrl)
  await Promise.all(Array.from({ length: 2_000 }, (_, number) => write([insert(number)])))
  expect(numbers()).toHaveLength(2_000)
  // The first one is sent alone and at once.
  await vi.waitFor(() => expect(commits).toBe(1 + Math.ceil(1_999 / TRANSACTIONS_PER_COMMIT)))
})

/** Longer than a test. */
const KEEP_MS = 3_600_000

async function openKeeping() {
  let commits = 0
  const opened = open(watchWriter({ onCommit: () => commits++ }).threadUrl, undefined, KEEP_MS)
  // The second follows soon after the first.
  for (const number of [101, 102]) await opened.write([insert(number)])
  return { ...opened, commits: () => commits - 2 }
}

test('a transaction that may wait shares the commit of the next one, in order', async () => {
  const { write, numbers, commits } = await openKeeping()
  const kept = write([insert(1)], { mayWait: true })
  const failing = write([insert(101)], { mayWait: true })
  const next = write([step('update numbers set number = 2 where number = 1')])
  await expect(failing).rejects.toThrow('UNIQUE')
  await Promise.all([kept, next])
  expect(numbers()).toEqual([2, 101, 102])
  await vi.waitFor(() => expect(commits()).toBe(1))
})

test('a transaction that may wait is written soon without a next one, and at once if they are seldom', async () => {
  for (const keepMs of [10, 0]) {
    const { write, numbers } = open(undefined, undefined, keepMs)
    for (const number of [1, 2]) await write([insert(number)])
    await write([insert(3)], { mayWait: true })
    expect(numbers()).toEqual([1, 2, 3])
  }
})

test('closing writes what may wait', async () => {
  const { write, close, path } = await openKeeping()
  const kept = write([insert(1)], { mayWait: true })
  await close()
  await kept
  const reopened = openForReading(path)
  onTestFinished(() => reopened.close())
  expect(reopened.prepare('select number from numbers order by number').get()).toEqual({ number: 1 })
})

test('each transaction gets its own result, even if concurrent writes fail', async () => {
  const { write, numbers } = open()
  async function writeOneByOne(first: number): Promise<void> {
    for (let number = first; number < first + 50; number++) {
      const added = write([step('insert into numbers (number) values (?) returning number', number)])
      const twice = write([insert(number)])
      await expect(twice).rejects.toThrow('UNIQUE')
      expect(await added).toEqual([[{ number }]])
    }
  }
  await Promise.all([0, 50, 100, 150].map(writeOneByOne))
  expect(numbers()).toEqual(Array.from({ length: 200 }, (_, number) => number))
})

test('bytes are written unchanged, also from a view of a larger buffer', async () => {
  const { write, blobs } = open()
  const large = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256)
  await write([step('insert into blobs (body) values (?)', large.subarray(10, 13))])
  expect(blobs()).toEqual([Uint8Array.of(10, 11, 12)])
})

test('a full database refuses writes with a clear error, and accepts them again when there is room', async () => {
  const { write, blobs } = open()
  const blob = step('insert into blobs (body) values (zeroblob(200000))')
  await write([step('pragma max_page_count = 20')])
  const full = await Promise.allSettled([1, 2].map(() => write([blob])))
  expect(full.map((outcome) => outcome.status === 'rejected' && isOutOfSpace(outcome.reason))).toEqual([true, true])
  await write([step('pragma max_page_count = 1000000')])
  await write([blob])
  expect(blobs()).toHaveLength(1)
})

test('a write after closing is refused, and the thread serves the other databases', async () => {
  const [ended, other] = [open(), open()]
  const last = ended.write([insert(1)])
  const closing = Promise.all([ended.close(), ended.close()])
  await expect(ended.write([insert(2)])).rejects.toThrow('The database is closed.')
  await Promise.all([last, closing])
  await expect(ended.write([insert(3)])).rejects.toThrow('The database is closed.')
  await other.write([insert(4)])
  expect(ended.numbers()).toEqual([1])
  expect(other.numbers()).toEqual([4])
})
