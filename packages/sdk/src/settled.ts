import { withSignals } from './abort.ts'
import { millisecondsOf, type Duration } from './duration.ts'
import { NotSettledError } from './errors.ts'
import { anything, checkDuration, type OptionChecks } from './options.ts'
import type { SettledQuery } from './query.ts'
import type { RequestOptions } from './transport.ts'
import { lookUntil } from './wait.ts'
import type { SettledState } from './wire.ts'

const QUIET_MS = 500
/** The server's maximum. */
const QUIET_MS_MAX = 20_000
const TIMEOUT_MS = 30_000

export type SettledOptions = {
  /** For how long nothing must come. Longer than your app takes to send. Default: '500ms', at most 20 seconds. */
  quiet?: Duration | undefined
  /** Default: 30,000 ms. */
  timeout?: Duration | undefined
  signal?: AbortSignal | undefined
}

export const SETTLED_OPTIONS: OptionChecks<SettledOptions> = {
  quiet: checkQuiet,
  timeout: checkDuration,
  signal: anything,
}

function checkQuiet(value: unknown, name: string): void {
  checkDuration(value, name)
  if (millisecondsOf(value as Duration) > QUIET_MS_MAX)
    throw new TypeError(`${name} is at most 20 seconds, not ${String(value)}.`)
}

/** `cursor`: what comes later is found with `after`. */
export type Settled = SettledState & { cursor: string }

/** Without retries, because waits do their own. */
export type ReadSettled = (query: SettledQuery, options: RequestOptions) => Promise<Settled>

/** For the error: what was expected, and the timeout that the caller gave. */
export type SettlingTexts = { expectation?: string; timeoutMs?: number }

type Asked = SettlingTexts & { query: SettledQuery; address: string; signals: (AbortSignal | undefined)[] }

/** Throws a TypeError if nothing could settle in that time. */
export function settlingTimes({ quiet = QUIET_MS, timeout = TIMEOUT_MS }: SettledOptions) {
  const [quietMs, timeoutMs] = [millisecondsOf(quiet), millisecondsOf(timeout)]
  if (quietMs > 0 && timeoutMs <= quietMs) {
    throw new TypeError(`The timeout of ${timeoutMs} ms must be longer than the quiet time of ${quietMs} ms.`)
  }
  return { quietMs, timeoutMs }
}

/** Asks until all mail has arrived. Throws a `NotSettledError` if that takes too long. */
export async function waitUntilSettled(
  read: ReadSettled,
  { query, address, signals, ...texts }: Asked,
  options: SettledOptions,
): Promise<Settled> {
  const { quietMs, timeoutMs } = settlingTimes(options)
  let state: Settled | null = null
  return withSignals([...signals, options.signal], async (controller) => {
    const { found, lastError } = await lookUntil<Settled>(
      async (holdMs, next) => {
        // Too little time is left for the quiet time.
        if (state !== null && holdMs <= quietMs) return { found: null, isMore: false }
        const wait = Math.max(Math.round(holdMs), quietMs + 1) / 1000
        state = await read({ ...query, quiet: quietMs / 1000, wait }, next())
        return state.settled ? { found: state } : { found: null, isMore: true }
      },
      { timeout: timeoutMs, signal: controller.signal },
    )
    if (found !== null) return found
    throw new NotSettledError({ address, timeoutMs, ...texts, state, cause: lastError })
  })
}
