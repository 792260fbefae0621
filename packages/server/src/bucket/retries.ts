import { reasonOf } from '../domain/reason.ts'
import { BucketUnreachable } from './bucket.ts'

/** A single timeout may exceed the whole budget, so at least this many attempts are made. */
const ATTEMPTS_MIN = 3
/** Delays double up to this, so that the recovery of the storage is noticed within seconds. */
const PAUSE_MS_MAX = 4_000

export type Retrying = {
  /** After three attempts, no attempt starts later than this after the first. */
  forMs: number
  /** Delay before the second attempt. */
  pauseMs: number
  /** Null for permanent errors; otherwise the Retry-After in ms, 0 if there is none. */
  retryAfterOf: (error: unknown) => number | null
}

/** Retries a call to a remote storage on temporary errors. The call must be idempotent. */
export async function withRetries<Result>(
  call: () => Promise<Result>,
  { forMs, pauseMs, retryAfterOf }: Retrying,
): Promise<Result> {
  const until = performance.now() + forMs
  for (let attempts = 1; ; attempts++) {
    try {
      return await call()
    } catch (error) {
      const retryAfterMs = retryAfterOf(error)
      if (retryAfterMs === null) throw error
      // Up to half of it is random, so that callers that failed together do not retry together.
      const backoffMs = Math.min(pauseMs * 2 ** (attempts - 1), PAUSE_MS_MAX) * (1 - Math.random() / 2)
      const nextAt = performance.now() + Math.max(retryAfterMs, backoffMs)
      const isOver = nextAt > until && (attempts >= ATTEMPTS_MIN || retryAfterMs > 0)
      if (isOver) throw new BucketUnreachable(reasonOf(error), { cause: error })
      await new Promise((resolve) => setTimeout(resolve, nextAt - performance.now()))
    }
  }
}
