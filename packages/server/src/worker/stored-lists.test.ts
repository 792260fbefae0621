import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import type { Bucket } from '../bucket/bucket.ts'
import { openEmbeddedBucket } from '../bucket/embedded-bucket.ts'
import { metadataKey, type MetadataStatus, type MessageLocation } from '../domain/object-keys.ts'
import { uuidv7 } from '../domain/uuid.ts'
import { newestIds } from './newest-ids.ts'
import { storedMailboxes } from './stored-mailboxes.ts'

const NOW = Date.parse('2026-07-01T12:00:00Z')
const DAY_MS = 86_400_000
const HERE = { domain: 'in.test', mailbox: 'qa' }
const KEYS_PER_PUT = 5_000
const PAGE = { ...HERE, status: 'processed', limit: 51, now: NOW } as const

/** Distributed like random bytes, but the same in every run. */
function bytesOf(number: number): Uint8Array {
  return Uint8Array.from({ length: 10 }, (_, index) => Math.imul(number + 1, 2_654_435_761 + index * 40_503) >>> 13)
}

const bytesByNumber: Uint8Array[] = []

function idsAt(times: number[]): string[] {
  return times.map((time, index) => uuidv7(time, (bytesByNumber[index] ??= bytesOf(index))))
}

/** Keys in order, as every bucket lists them, and a count of the keys read. */
function countingBucket(status: MetadataStatus, messages: MessageLocation[]) {
  const all = messages.map((message) => metadataKey(status, message)).sort()
  return counting({
    async list({ prefix, cursor = '', limit }) {
      const start = firstAfter(all, cursor < prefix ? prefix : cursor)
      const end = firstAfter(all, `${prefix}\u{10ffff}`)
      const keys = all.slice(start, Math.min(start + limit, end))
      return { keys, cursor: start + limit < end ? keys.at(-1)! : null }
    },
  })
}

function counting(bucket: Pick<Bucket, 'list'>) {
  const read = { keys: 0, looks: 0 }
  const list: Bucket['list'] = async (page) => {
    const found = await bucket.list(page)
    read.keys += found.keys.length
    read.looks++
    return found
  }
  return { bucket: { list }, read }
}

function firstAfter(sorted: string[], text: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! <= text) low = middle + 1
    else high = middle
  }
  return low
}

const inMailbox = (ids: string[]) => ids.map((id) => ({ ...HERE, id }))

describe('the newest of 100,000 messages in one mailbox', () => {
  const count = 100_000
  const spread = (milliseconds: number) =>
    Array.from({ length: count }, (_, index) => NOW - Math.floor((milliseconds * index) / count))

  test.each([
    ['over a month', spread(30 * DAY_MS)],
    ['over two years', spread(730 * DAY_MS)],
    ['within a minute', spread(60_000)],
    ['within a minute, a year ago', spread(60_000).map((time) => time - 365 * DAY_MS)],
    ['within a second', spread(1_000)],
    ['mostly years ago', [NOW, NOW - 5_000, ...spread(DAY_MS).map((time) => time - 900 * DAY_MS)]],
  ])('%s: few keys are read, for the first page and for one in the middle', async (_, times) => {
    const ids = idsAt(times)
    const { bucket, read } = countingBucket('processed', inMailbox(ids))
    const newestFirst = ids.toSorted().toReversed()
    expect(await newestIds(bucket, { ...PAGE, before: null })).toEqual(newestFirst.slice(0, 51))
    const middle = newestFirst[50_000]!
    expect(await newestIds(bucket, { ...PAGE, before: middle })).toEqual(newestFirst.slice(50_001, 50_052))
    expect(read.keys).toBeLessThan(count * 0.05)
    expect(read.looks).toBeLessThan(80)
  })

  test('the same is true of a bucket on a disk', async () => {
    const bucket = openEmbeddedBucket(join(temporaryFolder(), 'inbox.db'))
    onTestFinished(() => bucket.close())
    const ids = idsAt(spread(30 * DAY_MS))
    for (let start = 0; start < count; start += KEYS_PER_PUT) {
      const some = inMailbox(ids.slice(start, start + KEYS_PER_PUT))
      await bucket.put(some.map((message) => ({ key: metadataKey('processed', message), body: new Uint8Array() })))
    }
    const { bucket: counted, read } = counting(bucket)
    expect(await newestIds(counted, { ...PAGE, before: null })).toEqual(ids.toSorted().toReversed().slice(0, 51))
    expect(read.keys).toBeLessThan(count * 0.05)
  })

  test('the next mailbox is found without reading all keys of this one', async () => {
    const around = ['a', 'qa-', 'qa.b', 'qa0', 'qab', 'z'].map((mailbox) => ({ ...HERE, mailbox, id: 'one' }))
    const crowd = inMailbox(idsAt(spread(DAY_MS)))
    const { bucket, read } = countingBucket('processed', [...around, ...crowd])
    const mailboxes = await storedMailboxes(bucket, {
      statuses: ['unprocessed', 'processed'],
      domain: null,
      after: null,
      limit: 50,
    })
    expect(mailboxes.map(({ mailbox }) => mailbox)).toEqual(['a', 'qa-', 'qa.b', 'qa', 'qa0', 'qab', 'z'])
    expect(read.keys).toBeLessThan(500)
  })
})

describe('ids of every kind are found, page by page', () => {
  const seconds = (count: number) => Array.from({ length: count }, (_, index) => NOW - index * 1_000)
  const foreign = Array.from({ length: 600 }, (_, index) => {
    const hex = Array.from(bytesOf(index), (byte) => byte.toString(16).padStart(2, '0')).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4abc-8def-${hex.slice(0, 12)}`
  })
  const words = Array.from({ length: 600 }, (_, index) => ['msg-', 'A', '-', '0', 'f_', '~'][index % 6]! + index)

  test.each([
    ['of version 7', idsAt(seconds(1_000))],
    ['of a clock that is ahead', idsAt(seconds(700).map((time) => time + 100 * DAY_MS))],
    ['all of one millisecond', idsAt(Array.from({ length: 700 }, () => NOW))],
    ['of version 4', foreign],
    ['that are no UUIDs', words],
    ['where one begins another', ['a', 'a-b', 'a.b', 'a0', ...words]],
    ['all together', [...idsAt(seconds(600)), ...foreign, ...words]],
    ['few', idsAt(seconds(3))],
    ['none', []],
  ])('ids %s', async (_, ids) => {
    const { bucket } = countingBucket('unprocessed', inMailbox(ids))
    const seen: string[] = []
    for (;;) {
      const before = seen.at(-1) ?? null
      const page = await newestIds(bucket, { ...HERE, status: 'unprocessed', before, limit: 120, now: NOW })
      seen.push(...page)
      if (page.length < 120) break
    }
    const keyOf = (id: string) => metadataKey('unprocessed', { ...HERE, id })
    const expected = Array.from(new Set(ids)).sort((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1))
    expect(seen).toEqual(expected)
  })
})
