import type { RandomInt } from './random-text.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Short at first, because a receiver that restarts is back within seconds. Long later, to outlast an outage. */
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

/** The longest delay that a receiver may request. A later event would hardly be useful. */
export const RETRY_AFTER_MS_MAX = DAY_MS
/** An endpoint that fails this long is considered abandoned. */
export const FAILING_MS_MAX = 5 * DAY_MS

/** Delays vary by up to a fifth, so that deliveries that failed together are not retried together. */
const SPREAD = 0.2
const SPREAD_STEPS = 10_000

const GONE = 410
/** Statuses of an overloaded receiver, or of a proxy in front of it. */
const OVERLOADED_STATUS = new Set([429, 502, 503, 504])

/** The response to one attempt. The status is null if there was no response. */
export type AttemptAnswer = { httpStatus: number | null; retryAfterMs: number | null }

export type Verdict = {
  /** The outcome for the delivery if its endpoint stays enabled. Otherwise the delivery fails. */
  outcome: { status: 'success' } | { status: 'pending'; afterMs: number } | { status: 'failed' }
  /** Why the endpoint is disabled from now on. Null if it is not. */
  disableEndpoint: Disabling | null
}

/** With `failingSince`, the endpoint is disabled only if no other attempt has succeeded since that time. */
export type Disabling = { reason: string; failingSince: number | null }

type AttemptContext = {
  /** Attempts before this one. */
  attemptsBefore: number
  /** The first failure of the endpoint since its last success. */
  failingSince: number | null
  at: number
  delaysMs: readonly number[]
  random: RandomInt
}

/** Decides what an attempt means for its delivery and for the endpoint. */
export function judgeAttempt(answer: AttemptAnswer, attempt: AttemptContext): Verdict {
  const { attemptsBefore, delaysMs, random } = attempt
  if (isSuccess(answer.httpStatus)) return { outcome: { status: 'success' }, disableEndpoint: null }
  const disableEndpoint = judgeEndpoint(answer, attempt)
  const delayMs = delaysMs[attemptsBefore]
  if (delayMs === undefined) return { outcome: { status: 'failed' }, disableEndpoint }
  // Not before the time that the receiver requests, and not before the schedule.
  const afterMs = Math.max(spread(delayMs, random), Math.min(answer.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX))
  return { outcome: { status: 'pending', afterMs }, disableEndpoint }
}

function judgeEndpoint({ httpStatus }: AttemptAnswer, { failingSince, at }: AttemptContext): Disabling | null {
  if (httpStatus === GONE) return { reason: 'The endpoint responded with 410 Gone.', failingSince: null }
  const isAbandoned = failingSince !== null && at - failingSince >= FAILING_MS_MAX
  return isAbandoned ? { reason: 'Every attempt of the last five days failed.', failingSince } : null
}

/** A redirect is a failure, because events go only to the URL that the customer entered. */
export function isSuccess(httpStatus: number | null): boolean {
  return httpStatus !== null && httpStatus >= 200 && httpStatus <= 299
}

/** Whether the receiver is overloaded. */
export function isOverloaded(httpStatus: number | null): boolean {
  return httpStatus !== null && OVERLOADED_STATUS.has(httpStatus)
}

/** Parses the `Retry-After` header: seconds or an HTTP date (RFC 9110, 10.2.3). Null if it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND_MS
  // An HTTP date starts with the day of the week. `Date.parse` alone would also accept a year or `-1`.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

function spread(delayMs: number, random: RandomInt): number {
  const share = (random(SPREAD_STEPS + 1) / SPREAD_STEPS) * 2 - 1
  return Math.round(delayMs * (1 + SPREAD * share))
}
