import { withSignals } from './abort.ts'
import { millisecondsOf, type Duration } from './duration.ts'
import { NotSettledError } from './errors.ts'
import type { SettledQuery } from './query.ts'
import type { RequestOptions } from './transport.ts'
import { lookUntil } from './wait.ts'
import type { SettledState } from './wire.ts'

const QUIET_MS = 500
const TIMEOUT_MS = 30_000

export type SettledOptions = {
  /** For how long nothing must come. Longer than your app takes to send. Default: '500ms', at most 20 seconds. */
  quiet?: Duration | undefined
  /** Milliseconds. Default: 30,000. */
  timeout?: number | undefined
  signal?: AbortSignal | undefined
}

/** `cursor`: what comes later is found with `after`. */
export type Settled = SettledState & { cursor: string }

/** Without retries, because waits do their own. */
export type ReadSettled = (query: SettledQuery, options: RequestOptions) => Promise<Settled>

type Asked = { query: SettledQuery; address: string; signals: (AbortSignal | undefined)[] }

/** Asks until all mail has arrived. Throws a `NotSettledError` if that takes too long. */
export async function waitUntilSettled(
  read: ReadSettled,
  { query, address, signals }: Asked,
  { quiet = QUIET_MS, timeout = TIMEOUT_MS, signal }: SettledOptions,
): Promise<Settled> {
  const quietMs = millisecondsOf(quiet)
  if (quietMs > 0 && timeout <= quietMs) {
    throw new TypeError(`The timeout of ${timeout} ms must be longer than the quiet time of ${quietMs} ms.`)
  }
  let state: Settled | null = null
  return withSignals([...signals, signal], async (controller) => {
    const { found, lastError } = await lookUntil<Settled>(
      async (holdMs, next) => {
        // Too little time is left for the quiet time.
        if (state !== null && holdMs <= quietMs) return { found: null, isMore: false }
        const wait = Math.max(Math.round(holdMs), quietMs + 1) / 1000
        state = await read({ ...query, quiet: quietMs / 1000, wait }, next())
        return state.settled ? { found: state } : { found: null, isMore: true }
      },
      { timeout, signal: controller.signal },
    )
    if (found !== null) return found
    throw new NotSettledError({ address, timeoutMs: timeout, state, cause: lastError })
  })
}
