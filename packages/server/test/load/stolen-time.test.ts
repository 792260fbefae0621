import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HostAway } from './stolen-time.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

test('limit: the host is away in a second in which it takes 5 %, and mail is caught up two seconds later', () => {
  const times = { stolen: 0, all: 0 }
  const host = new HostAway(() => ({ ...times }))
  const begunAt = performance.now()
  const pass = (stolen: number) => {
    times.all += 200
    times.stolen += stolen
    vi.advanceTimersByTime(1_000)
  }
  for (const stolen of [0, 9, 10, 0, 0, 0, 0]) pass(stolen)
  host.close()
  const found = [0, 1_899, 1_900, 2_500, 5_999, 6_000].map((dueAt) => host.wasThere(begunAt + dueAt))
  expect(found).toEqual([true, true, false, false, false, true])
})
