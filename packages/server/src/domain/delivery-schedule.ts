import type { RandomInt } from './random-text.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Short first, because a receiver that restarts is back within seconds; then so long that a night's outage is outlived. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  DAY_MS,
]

/** A receiver may ask for patience, but not for ever: what it missed should still be of use when it comes. */
export const RETRY_AFTER_MS_MAX = DAY_MS
/** Nobody has been there for so long that nobody will miss it. */
export const FAILING_MS_MAX = 5 * DAY_MS

/** Gaps differ by up to a fifth, so that what failed together does not come back together. */
const SPREAD = 0.2
const SPREAD_STEPS = 10_000

const GONE = 410
/** What a receiver, or something in front of it, answers when there is too much to do. */
const OVERLOADED_STATUS = new Set([429, 502, 503, 504])

/** What came of one attempt; no status stands for no answer at all. */
export type AttemptAnswer = { httpStatus: number | null; retryAfterMs: number | null }

export type Verdict = {
  /** What comes of the delivery while its endpoint stays on; it fails with one that is switched off. */
  outcome: { status: 'success' } | { status: 'pending'; afterMs: number } | { status: 'failed' }
  /** Why its endpoint gets nothing from now on; null when it goes on. */
  disableEndpoint: Disabling | null
}

/** Given a time, it holds only while the endpoint has not succeeded since: another attempt may have, meanwhile. */
export type Disabling = { reason: string; failingSince: number | null }

type Circumstances = {
  /** Attempts made before this one. */
  attemptsBefore: number
  /** When the endpoint failed for the first time since its last success. */
  failingSince: number | null
  at: number
  delaysMs: readonly number[]
  random: RandomInt
}

/** What an attempt means for its delivery and for the endpoint. */
export function judgeAttempt(answer: AttemptAnswer, circumstances: Circumstances): Verdict {
  const { attemptsBefore, delaysMs, random } = circumstances
  if (isSuccess(answer.httpStatus)) return { outcome: { status: 'success' }, disableEndpoint: null }
  const disableEndpoint = judgeEndpoint(answer, circumstances)
  const gapMs = delaysMs[attemptsBefore]
  if (gapMs === undefined) return { outcome: { status: 'failed' }, disableEndpoint }
  // Not sooner than the receiver asks for, nor than the schedule would.
  const afterMs = Math.max(spread(gapMs, random), Math.min(answer.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX))
  return { outcome: { status: 'pending', afterMs }, disableEndpoint }
}

function judgeEndpoint({ httpStatus }: AttemptAnswer, { failingSince, at }: Circumstances): Disabling | null {
  if (httpStatus === GONE) return { reason: 'The endpoint answered 410 Gone.', failingSince: null }
  const isGivenUp = failingSince !== null && at - failingSince >= FAILING_MS_MAX
  return isGivenUp ? { reason: 'Every attempt of the last five days failed.', failingSince } : null
}

/** Redirects are no success: whoever gets the mail is whom the customer named. */
export function isSuccess(httpStatus: number | null): boolean {
  return httpStatus !== null && httpStatus >= 200 && httpStatus <= 299
}

/** Whether the receiver says that it has too much to do. */
export function isOverloaded(httpStatus: number | null): boolean {
  return httpStatus !== null && OVERLOADED_STATUS.has(httpStatus)
}

/** The `Retry-After` header: seconds or an HTTP date (RFC 9110, 10.2.3); null when it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND_MS
  // Dates begin with the day of the week; `Date.parse` alone would also take a bare year or `-1`.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

function spread(gapMs: number, random: RandomInt): number {
  const share = (random(SPREAD_STEPS + 1) / SPREAD_STEPS) * 2 - 1
  return Math.round(gapMs * (1 + SPREAD * share))
}
