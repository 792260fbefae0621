import { expect, test } from 'vitest'
import type { StoredMessage, StoredSummary, View } from '../store/messages.ts'
import { createFactsReader, keptLengthOf } from './facts-reader.ts'

const VIEW: View = { teamId: 't', oldestReceivedAt: 0, filter: {} }
const named = (id: string) => ({ id }) as StoredSummary

/** Facts of a length as JSON, and how often a message was read. */
function start(factsOf: () => unknown) {
  let reads = 0
  const findMessage = (_: View, id: string) => {
    reads++
    return Promise.resolve(named(id) as StoredMessage)
  }
  const read = createFactsReader({ findMessage }, () => ({ facts: factsOf() }))
  return { read: (id: string) => read(VIEW, named(id)), reads: () => reads }
}

test('facts are read once, except long ones', async () => {
  const short = start(() => 'x'.repeat(1_000))
  for (const id of ['a', 'b', 'a', 'b']) await short.read(id)
  expect(short.reads()).toBe(2)
  const people = Array.from({ length: 50 }, () => ({ address: 'a@shop.example', name: 'x'.repeat(1_000) }))
  const long = start(() => people)
  for (const id of ['a', 'a']) expect(await long.read(id)).toEqual({ facts: people })
  expect(long.reads()).toBe(2)
})

test('all facts together are limited, and those read first give way', async () => {
  const facts = 'x'.repeat(2_000)
  const { read, reads } = start(() => facts)
  const length = keptLengthOf({ facts })!
  const count = Math.ceil(32_000_000 / length)
  for (let id = 0; id < count; id++) await read(String(id))
  await read(String(count - 1))
  expect(reads()).toBe(count)
  await read('0')
  expect(reads()).toBe(count + 1)
})

test('a message that two searches read at once counts once', async () => {
  const facts = 'x'.repeat(2_000)
  const { read, reads } = start(() => facts)
  await Promise.all(Array.from({ length: 20_000 }, () => read('a')))
  await read('b')
  const before = reads()
  await Promise.all([read('a'), read('b')])
  expect(reads()).toBe(before)
})
