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
  const wasThere = (from: number, to: number) => host.wasThere(begunAt + from, begunAt + to)
  expect(wasThere(0, 1_999)).toBe(true)
  expect(wasThere(0, 2_000)).toBe(false)
  expect(wasThere(2_500, 2_600)).toBe(false)
  expect(wasThere(5_500, 5_600)).toBe(false)
  expect(wasThere(6_000, 6_100)).toBe(true)
})
