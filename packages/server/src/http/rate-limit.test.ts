import { describe, expect, test } from 'vitest'
import type { PlanName } from '../domain/plans.ts'
import { createRateLimit } from './rate-limit.ts'

const START = Date.parse('2026-03-01T10:00:30.000Z')
const MINUTE_ENDS = Date.parse('2026-03-01T10:01:00.000Z')

const team = (id: string, plan: PlanName = 'starter') => ({ id, name: id, plan, retentionDays: null, domain: null })

function start() {
  let at = START
  const take = createRateLimit(() => at)
  return { take, setTime: (time: number) => void (at = time) }
}

describe.each<[PlanName, number]>([
  ['starter', 60],
  ['pro', 1_000],
  ['enterprise', 5_000],
])('limit: requests a minute on %s', (plan, limit) => {
  test(`${limit} pass, the next one does not`, () => {
    const { take, setTime } = start()
    for (let left = limit - 1; left >= 0; left--) {
      expect(take(team('a', plan))).toEqual({
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(left),
        'x-ratelimit-reset': String(MINUTE_ENDS / 1000),
      })
    }
    const refusal = { code: 'rate_limited', message: 'Rate limit exceeded. Please slow down.', status: 429 }
    expect(() => take(team('a', plan))).toThrow(expect.objectContaining(refusal))
    // Another team is not affected, and the limit resets with the next minute.
    expect(take(team('b', plan))).toMatchObject({ 'x-ratelimit-remaining': String(limit - 1) })
    setTime(MINUTE_ENDS)
    expect(take(team('a', plan))).toMatchObject({ 'x-ratelimit-remaining': String(limit - 1) })
  })
})

test('a refusal says when to retry', () => {
  const { take, setTime } = start()
  for (let count = 0; count < 60; count++) take(team('a'))
  setTime(MINUTE_ENDS - 100)
  const headers = { 'retry-after': '1', 'x-ratelimit-remaining': '0' }
  expect(() => take(team('a'))).toThrow(expect.objectContaining({ headers: expect.objectContaining(headers) }))
})
