import { expect, test } from 'vitest'
import { createKnownWorkers } from './known-workers.ts'

function start() {
  let now = 0
  const workers = createKnownWorkers(() => now)
  return { workers, after: (ms: number) => void (now += ms) }
}

test('a worker that went away without a word is expected for ten minutes', () => {
  const { workers, after } = start()
  expect([workers.joined('a'), workers.joined('a')]).toEqual([true, false])
  after(600_000)
  expect(workers.known()).toEqual(['a'])
  after(1)
  expect(workers.known()).toEqual([])
})

test('one that has left is not expected, even if another process has not heard of that yet', () => {
  const { workers, after } = start()
  workers.joined('a')
  workers.left('a')
  workers.seenElsewhere('a')
  expect(workers.known()).toEqual([])
  expect(workers.joined('a')).toBe(true)
  workers.left('a')
  after(10_001)
  workers.seenElsewhere('a')
  expect(workers.known()).toEqual(['a'])
})

test('a worker that cannot be asked is remembered for ten minutes', () => {
  const { workers, after } = start()
  expect(workers.isOneUnasked()).toBe(false)
  expect([workers.noteUnasked(), workers.noteUnasked()]).toEqual([true, false])
  after(599_999)
  expect(workers.isOneUnasked()).toBe(true)
  after(1)
  expect(workers.isOneUnasked()).toBe(false)
  workers.unaskedElsewhere()
  expect([workers.isOneUnasked(), workers.noteUnasked()]).toEqual([true, true])
})
