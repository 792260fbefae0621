import { sleep } from './abort.ts'
import type { Email } from './email.ts'
import { millisecondsOf, type Duration } from './duration.ts'
import { MessageTimeoutError, type Explanation } from './errors.ts'
import { anything, checkDuration, type OptionChecks } from './options.ts'
import { isTransient, retryDelay, type RequestOptions } from './transport.ts'

const TIMEOUT_MS = 30_000
/** Longest hold of one request; common proxies close connections after 30 to 60 seconds. */
const HOLD_MS_MAX = 25_000
/** Polling interval for a server that does not hold requests. */
const INTERVAL_MS = 1_000
/** Delay between attempts while the server is unreachable: a restart takes a second or two. */
const RETRY_MS = 250
/** Time for a response to arrive, on top of the time it is held. */
const TRAVEL_MS = 5_000
/** The same for the last request, after which the wait must end. */
const LAST_TRAVEL_MS = 2_000

export type WaitOptions = {
  /** Default: 30,000 ms. */
  timeout?: Duration
  /** Polling interval for a server that does not hold requests. Default: 1,000 ms. */
  interval?: Duration
  signal?: AbortSignal
}

export const WAIT_OPTIONS: OptionChecks<WaitOptions> = {
  timeout: checkDuration,
  interval: checkDuration,
  signal: anything,
}

/** Called for each request, because the remaining time shrinks from one to the next. */
export type NextRequest = () => RequestOptions & { timeout: number }

/** The query that a wait repeats. `look` may be held for `holdMs`, and misses nothing that arrives between two looks. */
export type Search = {
  description: string
  look: (holdMs: number, next: NextRequest) => Promise<Look>
  /** What happened instead, for the timeout error. */
  explain: (options: RequestOptions) => Promise<Explanation>
}

/** `isMore`: nothing matched yet, but there is more to look at right away. */
export type Look<Found = Email> = { found: Found } | { found: null; isMore: boolean }

/** Looks until a message matches. Throws an error that explains why none did. */
export async function waitUntilFound(search: Search, options: WaitOptions): Promise<Email> {
  const { timeout = TIMEOUT_MS, signal } = options
  const { found, lastError } = await lookUntil((...given) => search.look(...given), options)
  if (found !== null) return found
  const explanation = await search.explain({ signal, timeout: LAST_TRAVEL_MS })
  const { description } = search
  throw new MessageTimeoutError({ ...explanation, description, timeoutMs: millisecondsOf(timeout), cause: lastError })
}

/** Looks until something is found or the time is over: then it is null. Uses only the monotonic clock. */
export async function lookUntil<Found>(
  lookOnce: (holdMs: number, next: NextRequest) => Promise<Look<Found>>,
  { timeout = TIMEOUT_MS, interval = INTERVAL_MS, signal }: WaitOptions,
): Promise<{ found: Found | null; lastError: unknown }> {
  const deadline = performance.now() + millisecondsOf(timeout)
  const leftMs = (moreMs = 0) => Math.max(0, deadline + moreMs - performance.now())
  let hasResponse = false
  let lastError: unknown
  for (;;) {
    const askedAt = performance.now()
    const holdMs = Math.min(leftMs(), HOLD_MS_MAX)
    let pauseMs = 0
    try {
      let requests = 0
      const next = () => {
        // A second request means that the first one got a response.
        if (requests++ > 0) hasResponse = true
        return { signal, timeout: Math.min(holdMs + TRAVEL_MS, leftMs(LAST_TRAVEL_MS)) }
      }
      const look = await lookOnce(holdMs, next)
      if (!('isMore' in look)) return { found: look.found, lastError: undefined }
      hasResponse = true
      lastError = undefined
      if (!look.isMore) pauseMs = millisecondsOf(interval) - (performance.now() - askedAt)
    } catch (error) {
      if (!isTransient(error)) throw error
      lastError = error
      pauseMs = retryDelay(error, RETRY_MS)
    }
    if (leftMs() === 0) break
    if (pauseMs > 0) await sleep(Math.min(pauseMs, leftMs()), signal)
  }
  // Without a single response, the problem is the server and not a missing message.
  if (!hasResponse) throw lastError
  return { found: null, lastError }
}
