import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { paced } from './paced.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('of eleven calls, the first runs at once and the last is not lost', () => {
  const seen: number[] = []
  let mails = 0
  const load = paced(() => seen.push(mails), 5_000)
  for (mails = 1; mails <= 10; mails++) load()
  mails = 11
  load()
  expect(seen).toEqual([1])
  vi.advanceTimersByTime(5_000)
  expect(seen).toEqual([1, 11])
  vi.advanceTimersByTime(60_000)
  expect(seen).toEqual([1, 11])
  load()
  expect(seen).toEqual([1, 11, 11])
})

test('runs at most once per interval, however often it is called', () => {
  const work = vi.fn<() => void>()
  const load = paced(work, 1_000)
  for (let passedMs = 0; passedMs < 10_000; passedMs += 100) {
    load()
    vi.advanceTimersByTime(100)
  }
  expect(work.mock.calls.length).toBe(11)
})
