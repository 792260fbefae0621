import { sleep } from './abort.ts'
import type { Email } from './email.ts'
import { MessageTimeoutError } from './errors.ts'
import { isPassing, jittered, type RequestOptions } from './transport.ts'
import type { NearMiss } from './wire.ts'

const TIMEOUT_MS = 30_000
/** One held request; common proxies cut connections at 30 to 60 seconds. */
const HOLD_MS_MAX = 25_000
/** Between two looks at a server that does not hold the answer. */
const INTERVAL_MS = 1_000
/** Between two tries while the server is away: a restart takes a second or two. */
const RETRY_MS = 250
/** For an answer to travel, beyond the time that it was held. */
const TRAVEL_MS = 5_000
/** The same for the last one, after which the caller expects to hear from us. */
const LAST_TRAVEL_MS = 2_000

export type WaitOptions = {
  /** Milliseconds, 30,000 unless told. */
  timeout?: number
  /** Milliseconds between two looks at a server that cannot hold the answer, 1,000 unless told. */
  interval?: number
  signal?: AbortSignal
}

/** Asked anew for each request: what is left of the time shrinks while one follows another. */
export type NextRequest = () => RequestOptions

/** What a wait asks, again and again: `look` may be held for `holdMs`, and misses nothing that comes between two looks. */
export type Search = {
  description: string
  look: (holdMs: number, next: NextRequest) => Promise<Look>
  /** What came in vain, once the time is over. */
  arrived: (options: RequestOptions) => Promise<NearMiss[]>
}

/** `isMore`: nothing matched, but looking again at once is of use. */
export type Look = { found: Email } | { found: null; isMore: boolean }

/** Looks until something is found or the time is over; only the monotonic clock is used. */
export async function waitUntilFound(
  search: Search,
  { timeout = TIMEOUT_MS, interval = INTERVAL_MS, signal }: WaitOptions,
) {
  const deadline = performance.now() + timeout
  const leftMs = (moreMs = 0) => Math.max(0, deadline + moreMs - performance.now())
  let wasAnswered = false
  let trouble: unknown
  for (;;) {
    const askedAt = performance.now()
    const holdMs = Math.min(leftMs(), HOLD_MS_MAX)
    let pauseMs = 0
    try {
      let requests = 0
      const next = () => {
        // Whoever asks for more has been answered before.
        if (requests++ > 0) wasAnswered = true
        return { signal, timeout: Math.min(holdMs + TRAVEL_MS, leftMs(LAST_TRAVEL_MS)) }
      }
      const look = await search.look(holdMs, next)
      if (look.found !== null) return look.found
      wasAnswered = true
      trouble = undefined
      if (!look.isMore) pauseMs = interval - (performance.now() - askedAt)
    } catch (error) {
      if (!isPassing(error)) throw error
      trouble = error
      pauseMs = error.retryAfterMs ?? jittered(RETRY_MS)
    }
    if (leftMs() === 0) break
    if (pauseMs > 0) await sleep(Math.min(pauseMs, leftMs()), signal)
  }
  // Who was never answered has not waited in vain for a message, but for the server.
  if (!wasAnswered) throw trouble
  const arrived = await search.arrived({ signal, timeout: LAST_TRAVEL_MS })
  throw new MessageTimeoutError({ description: search.description, timeoutMs: timeout, arrived, cause: trouble })
}
