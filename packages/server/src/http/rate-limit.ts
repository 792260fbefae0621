import type { Principal } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import { PLANS } from '../domain/plans.ts'

const WINDOW_MS = 60_000

/** Counts one request of the team. Returns the rate limit headers, or throws 429 if the limit is exceeded. */
export type RateLimit = (team: Principal['team']) => Record<string, string>

/** Per team, minute and process. */
export function createRateLimit(now: () => number): RateLimit {
  let used = new Map<string, number>()
  let endsAt = 0

  return ({ id, plan }) => {
    const at = now()
    if (at >= endsAt) {
      used = new Map()
      endsAt = (Math.floor(at / WINDOW_MS) + 1) * WINDOW_MS
    }
    const limit = PLANS[plan].requestsPerMinute
    const count = (used.get(id) ?? 0) + 1
    used.set(id, count)
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - count)),
      'x-ratelimit-reset': String(endsAt / 1000),
    }
    if (count <= limit) return headers
    throw new AppError('rate_limited', 'Rate limit exceeded. Please slow down.', {
      headers: { ...headers, 'retry-after': String(Math.ceil((endsAt - at) / 1000)) },
    })
  }
}
