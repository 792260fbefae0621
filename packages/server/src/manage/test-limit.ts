import { AppError } from '../domain/errors.ts'
import type { SendAttempt } from '../notify/attempt.ts'

/** As many as the sender has on their way to an endpoint: whoever presses a button does not flood a receiver. */
const TESTS_AT_ONCE = 5
/** By then the oldest has come to its end. */
const RETRY_AFTER_SECONDS = 10

/** The attempt, refused while too many of the same endpoint are under way in this process. */
export function limitTests(attempt: SendAttempt): SendAttempt {
  const underWay = new Map<string, number>()

  return async (endpoint, event) => {
    const count = underWay.get(endpoint.id) ?? 0
    if (count >= TESTS_AT_ONCE) {
      throw new AppError('rate_limited', `At most ${TESTS_AT_ONCE} tests of an endpoint run at once. Please wait.`, {
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
      })
    }
    underWay.set(endpoint.id, count + 1)
    try {
      return await attempt(endpoint, event)
    } finally {
      const left = underWay.get(endpoint.id)! - 1
      if (left > 0) underWay.set(endpoint.id, left)
      else underWay.delete(endpoint.id)
    }
  }
}
