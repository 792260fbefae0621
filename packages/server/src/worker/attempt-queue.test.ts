import { expect, test } from 'vitest'
import type { AttemptGroup, EndedAttempt } from '../domain/attempt.ts'
import { newId } from '../random.ts'
import { createAttemptQueue, type SendAttempts } from './attempt-queue.ts'

const QUEUED_MAX = 10_000

function start() {
  const sent: AttemptGroup[] = []
  const answer: { with: SendAttempts } = { with: async () => true }
  const dropped = { count: 0 }
  const queue = createAttemptQueue({
    sender: {
      async send(group) {
        const isTaken = await answer.with(group)
        if (isTaken) sent.push(group)
        return isTaken
      },
      afterMs: 10,
    },
    newId,
    now: Date.now,
    onDropped: (count) => (dropped.count += count),
    log: { debug() {}, warn() {} },
  })
  return {
    queue,
    sent,
    answer,
    dropped,
    numbers: () => sent.flatMap(({ attempts }) => attempts.map(({ size }) => size)),
  }
}

function attempts(first: number, count: number): EndedAttempt[] {
  return Array.from({ length: count }, (_, index) => ({
    to: 'qa@in.test',
    from: '',
    startedAt: 0,
    endedAt: 0,
    outcome: 'closed',
    stage: 'rcpt',
    replies: [],
    size: first + index,
    tls: null,
    authenticated: false,
    helo: null,
    remoteAddress: null,
    connection: '',
    messageId: null,
  }))
}

test('attempts are sent soon, in order, in groups of at most 100', async () => {
  const { queue, sent, numbers } = start()
  queue.add(attempts(0, 150))
  queue.add(attempts(150, 100))
  await expect.poll(() => numbers().length).toBe(250)
  expect(numbers()).toEqual(Array.from({ length: 250 }, (_, index) => index))
  expect(sent.map((group) => group.attempts.length)).toEqual([100, 100, 50])
  expect(new Set(sent.map(({ id }) => id)).size).toBe(3)
})

test('what is added while a group is being sent is collected for the next time', async () => {
  const { queue, sent, answer } = start()
  answer.with = async () => {
    if (sent.length === 0) for (let number = 1; number < 6; number++) queue.add(attempts(number, 1))
    return true
  }
  queue.add(attempts(0, 1))
  await queue.flush()
  expect(sent.map((group) => group.attempts.length)).toEqual([1])
  await expect.poll(() => sent.map((group) => group.attempts.length)).toEqual([1, 5])
})

test('a group whose response was lost is sent again with the same id and content', async () => {
  const { queue, answer, sent } = start()
  const lost: AttemptGroup[] = []
  answer.with = async (group) => {
    lost.push(group)
    throw new Error('the connection was cut')
  }
  queue.add(attempts(0, 3))
  await queue.flush()
  queue.add(attempts(3, 3))
  answer.with = async () => true
  await queue.flush()
  expect(sent[0]).toEqual(lost[0])
  expect(sent.map((group) => group.attempts.length)).toEqual([3, 3])
})

test('while the API is away, the newest 10,000 are kept, and those that are missing are counted', async () => {
  const { queue, answer, numbers, dropped } = start()
  answer.with = () => Promise.reject(new Error('the API is away'))
  for (let first = 0; first < 2 * QUEUED_MAX; first += 50) {
    queue.add(attempts(first, 50))
    if (first % 5_000 === 0) await queue.flush()
  }
  answer.with = async () => true
  await queue.flush()
  const kept = numbers()
  expect(kept.length).toBeLessThanOrEqual(QUEUED_MAX + 100)
  expect(kept.length + dropped.count).toBe(2 * QUEUED_MAX)
  expect(kept.at(-1)).toBe(2 * QUEUED_MAX - 1)
  // The first group is the one that was being sent.
  const rest = kept.slice(100)
  expect(rest).toEqual(rest.map((_, index) => rest[0]! + index))
})

test('an API that does not take attempts gets no more for a while', async () => {
  const { queue, answer, numbers, dropped } = start()
  let asked = 0
  answer.with = async () => (asked++, false)
  queue.add(attempts(0, 250))
  await queue.flush()
  expect([asked, dropped.count]).toEqual([1, 100])
  await queue.close()
  expect([asked, dropped.count, numbers()]).toEqual([2, 250, []])
})
