import { createHeldCounts } from '../domain/held-counts.ts'
import { AppError } from '../domain/errors.ts'
import type { SendAttempt } from '../notify/attempt.ts'

/** As many as the sender has in flight per endpoint, so that the test button cannot flood a receiver. */
const TESTS_AT_ONCE = 5
/** By then the oldest test has finished. */
const RETRY_AFTER_SECONDS = 10

/** Refuses an attempt while too many tests of the same endpoint are running in this process. */
export function limitTests(attempt: SendAttempt): SendAttempt {
  const running = createHeldCounts()

  return async (endpoint, event) => {
    if (running.of(endpoint.id) >= TESTS_AT_ONCE) {
      throw new AppError('rate_limited', `At most ${TESTS_AT_ONCE} tests of an endpoint run at once. Please wait.`, {
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
      })
    }
    running.add(endpoint.id)
    try {
      return await attempt(endpoint, event)
    } finally {
      running.remove(endpoint.id)
    }
  }
}
