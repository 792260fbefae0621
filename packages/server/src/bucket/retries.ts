import { BucketUnreachable } from './bucket.ts'

/** A timeout may exceed the whole budget; at least this many attempts are made. */
const TRIES_MIN = 3
/** Pauses double up to this, so that a storage that is back is noticed within seconds. */
const PAUSE_MS_MAX = 4_000

export type Retrying = {
  /** No try begins later than this after the first one, once there have been three. */
  forMs: number
  /** Before the second try. */
  pauseMs: number
  /** Null for permanent errors; else the Retry-After in ms, 0 if none. */
  restOf: (error: unknown) => number | null
}

/** Repeats a call to a storage elsewhere while its trouble may pass. The call must be one that may be made twice. */
export async function withRetries<Result>(
  call: () => Promise<Result>,
  { forMs, pauseMs, restOf }: Retrying,
): Promise<Result> {
  const until = performance.now() + forMs
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      const restMs = restOf(error)
      if (restMs === null) throw error
      // Up to half of it at random, so that those who failed together do not come back together.
      const backoffMs = Math.min(pauseMs * 2 ** (tries - 1), PAUSE_MS_MAX) * (1 - Math.random() / 2)
      const nextAt = performance.now() + Math.max(restMs, backoffMs)
      const isOver = nextAt > until && (tries >= TRIES_MIN || restMs > 0)
      if (isOver) throw new BucketUnreachable(messageOf(error), { cause: error })
      await new Promise((resolve) => setTimeout(resolve, nextAt - performance.now()))
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
