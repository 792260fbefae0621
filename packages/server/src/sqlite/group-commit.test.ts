import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { openForReading, openForWriting } from './connection.ts'
import { createGroupCommit } from './group-commit.ts'

function open() {
  const path = join(temporaryFolder(), 'test.db')
  const writer = openForWriting(path)
  writer.exec('create table numbers (number integer primary key) strict')
  const reader = openForReading(path)
  onTestFinished(() => {
    reader.close()
    writer.close()
  })
  const insert = writer.prepare('insert into numbers (number) values (?)')
  return {
    writer,
    commits: createGroupCommit(writer),
    insert: (number: number) => insert.run(number),
    numbers: () =>
      reader
        .prepare('select number from numbers order by number')
        .all()
        .map(({ number }) => number),
  }
}

test('everything of one turn becomes visible together', async () => {
  const { commits, insert, numbers } = open()
  const seen: unknown[] = []
  await Promise.all([1, 2, 3].map((number) => commits.write(() => insert(number)).then(() => seen.push(numbers()))))
  expect(seen).toEqual([
    [1, 2, 3],
    [1, 2, 3],
    [1, 2, 3],
  ])
})

test('jobs that fail are told why, and the others of their commit are kept', async () => {
  const { commits, insert, numbers } = open()
  const outcomes = await Promise.allSettled([
    commits.write(() => insert(1)),
    commits.write(() => insert(1)),
    commits.write(async () => {
      insert(2)
      throw new Error('changed its mind')
    }),
    commits.write(() => insert(3)),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(outcomes[2]).toMatchObject({ reason: { message: 'changed its mind' } })
  expect(numbers()).toEqual([1, 3])
})

test('more jobs than fit into one commit are all written', async () => {
  const { commits, insert, numbers } = open()
  await Promise.all(Array.from({ length: 1_000 }, (_, number) => commits.write(() => insert(number))))
  expect(numbers()).toHaveLength(1_000)
})

test('a full database refuses every job, and takes jobs again when there is room', async () => {
  const { writer, commits, numbers } = open()
  writer.exec('create table blobs (body blob not null)')
  const insertBlob = writer.prepare('insert into blobs (body) values (zeroblob(50000))')
  writer.exec('pragma max_page_count = 20')
  const full = await Promise.allSettled([1, 2, 3].map(() => commits.write(() => insertBlob.run())))
  expect(full.some(({ status }) => status === 'rejected')).toBe(true)
  writer.exec('pragma max_page_count = 1000000')
  await commits.write(() => insertBlob.run())
  expect(numbers()).toEqual([])
  expect(writer.prepare('select count(*) as count from blobs').get()!['count']).toBe(
    1 + full.filter(({ status }) => status === 'fulfilled').length,
  )
})
