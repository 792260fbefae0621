import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { BucketUnreachable } from './bucket.ts'
import { withRetries } from './retries.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
})

type Course = { restMs?: number | null; lastsMs?: number; failures?: number }

/** The times of the attempts, in milliseconds after the first, of a call that fails at once or after `lastsMs`. */
async function triesOf({ restMs = 0, lastsMs = 0, failures = Infinity }: Course = {}) {
  const begun = performance.now()
  const triedAt: number[] = []
  const failure = new Error('SlowDown')
  const call = async () => {
    triedAt.push(performance.now() - begun)
    if (lastsMs > 0) await new Promise((resolve) => setTimeout(resolve, lastsMs))
    if (triedAt.length <= failures) throw failure
    return 'done'
  }
  const settled = withRetries(call, { forMs: 20_000, pauseMs: 250, retryAfterOf: () => restMs }).catch(
    (error: unknown) => error,
  )
  await vi.runAllTimersAsync()
  return { triedAt, result: await settled, failure }
}

test('refused requests are retried with growing delays until the time is over, and the error has the reason', async () => {
  const { triedAt, result, failure } = await triesOf()
  expect(triedAt.length).toBeGreaterThanOrEqual(7)
  expect(triedAt.length).toBeLessThanOrEqual(15)
  expect(triedAt.at(-1)).toBeLessThanOrEqual(20_000)
  expect(triedAt.at(-1)).toBeGreaterThan(14_000)
  expect(result).toBeInstanceOf(BucketUnreachable)
  expect(result).toMatchObject({ message: 'SlowDown', cause: failure })
})

test('a success ends the retries', async () => {
  const { triedAt, result } = await triesOf({ failures: 4 })
  expect(result).toBe('done')
  expect(triedAt).toHaveLength(5)
})

test('a permanent error is not retried and is reported unchanged', async () => {
  const { triedAt, result, failure } = await triesOf({ restMs: null })
  expect(triedAt).toHaveLength(1)
  expect(result).toBe(failure)
})

test('a timeout is retried up to three attempts, even beyond the time budget', async () => {
  expect((await triesOf({ lastsMs: 60_000 })).triedAt).toHaveLength(3)
})

test('a requested delay is respected if there is time for it', async () => {
  const { triedAt } = await triesOf({ restMs: 6_000 })
  expect(triedAt).toEqual([0, 6_000, 12_000, 18_000])
  expect((await triesOf({ restMs: 20_001 })).triedAt).toHaveLength(1)
  expect((await triesOf({ restMs: 20_000 })).triedAt).toHaveLength(2)
})
