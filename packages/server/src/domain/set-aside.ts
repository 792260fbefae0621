import { WORKER_FAILED, type AnnouncementRefusal } from './retry.ts'

// A mail that makes intake fail or crashes the program must neither be retried for days nor block other mail. It is set
// aside after three failures of its own: kept, listed, and announced again only by an operator.

export const OWN_FAILURES_MAX = 3

/** How far back the results of other mail count. */
export const RECENT_MS = 10 * 60_000
/**
 * How many recent successes outweigh one other mail that casts doubt on the API. An API that fails on one request in
 * ten by itself has about ten successes per failure.
 */
const ACCEPTED_PER_DOUBT = 30
/** How many recent successes are needed before a mail is set aside. One or two may be luck. */
const ACCEPTED_MIN = 5
/** How many other causes of failures may be bad mail too. More have a common cause. */
export const COMPANIONS_MAX = 3
/**
 * The minimum delay before each failure that counts. A short problem counts once, and by the third attempt other mail
 * has shown whether the API fails on it too.
 */
const ATTEMPT_DELAYS_MS = [0, 1_000, 5_000]

/**
 * How long a recorded attempt may take: starting a thread (60 s), parsing (60 s), the response (60 s), reading the bucket, and
 * a margin.
 */
const ATTEMPT_MS_MAX = 300_000

/** `isLost`: the API received the announcement and closed the connection without a response, as in a crash. */
export type FailedAttempt = AnnouncementRefusal & { isLost: boolean }

/** The results of other mail, as far as they are known. */
export type OtherResults = {
  /** Whether any was accepted since the previous attempt at this mail. */
  wasTaken: boolean
  /** How many were accepted recently. */
  taken: number
  /** How many recently failed in a way that may be their own (`mayBeCausedByMail`), but were accepted later. */
  healed: number
  /** Causes of the recent failures of mail that is not accepted yet. */
  failing: number
}

/** An attempt that was recorded before it began, because the previous one left no result. */
export type StartedAttempt = { at: string; by: string }

/** What the worker reports to the API, which lists it among the rejections. */
export type SetAsideNotice = { id: string; from: string; to: string; reason: string }

/**
 * Whether the mail itself may be the cause. A 500, a closed connection or a failure of the worker may be, if other mail
 * succeeds. A timeout, a 503 or another response of a proxy says nothing about the mail.
 */
export function mayBeCausedByMail(failed: FailedAttempt): boolean {
  return failed.status === 500 || failed.code === WORKER_FAILED || isCrash(failed)
}

/** Whether the API may have crashed: the connection was closed, or a proxy reports that its connection was. */
export function isCrash({ status, code, isLost }: FailedAttempt): boolean {
  return isLost || (status === 502 && code === null)
}

type Judged = {
  others: OtherResults
  sincePreviousMs: number
  /** Whether no other mail can have caused this failure: the API did not crash, or nothing else was in flight. */
  isOtherMailExcluded: boolean
}

/**
 * The new count of own failures after a failure that the mail may have caused. The first counts immediately. Later ones
 * count only if the API accepted other mail since the previous attempt, so an outage counts once, however long it is.
 * None counts while the API also fails on other mail.
 */
export function countFailure(ownFailures: number, { others, sincePreviousMs, isOtherMailExcluded }: Judged): number {
  if (isApiDoubtful(others)) return ownFailures
  if (ownFailures === 0) return 1
  // Whether it would set the mail aside.
  const isFinal = ownFailures >= OWN_FAILURES_MAX - 1
  const isConfirmed = others.wasTaken && (!isFinal || (others.taken >= ACCEPTED_MIN && isOtherMailExcluded))
  return isConfirmed && sincePreviousMs >= attemptDelayMs(ownFailures) ? ownFailures + 1 : ownFailures
}

/** The minimum delay before the next attempt at a mail with so many own failures. */
export function attemptDelayMs(ownFailures: number): number {
  return ATTEMPT_DELAYS_MS[ownFailures] ?? 0
}

/** Mail that failed first and succeeded later shows that the API itself fails. So do many messages that fail together. */
function isApiDoubtful({ taken, healed, failing }: OtherResults): boolean {
  const doubts = healed + Math.max(0, failing - COMPANIONS_MAX)
  return taken < doubts * ACCEPTED_PER_DOUBT
}

/** Whether a recorded attempt is over: its program has restarted since, or the attempt had enough time. */
export function hasEnded(begun: StartedAttempt, { by, now }: { by: string; now: number }): boolean {
  return begun.by === by || now >= endsBy(begun)
}

export function endsBy({ at }: StartedAttempt): number {
  return Date.parse(at) + ATTEMPT_MS_MAX
}

export function reasonFor(failed: FailedAttempt | 'program ended'): string {
  return `Set aside after ${OWN_FAILURES_MAX} failures: ${explain(failed)}.`
}

function explain(failed: FailedAttempt | 'program ended'): string {
  if (failed === 'program ended') return 'the program ended while it worked on this mail'
  if (failed.code === WORKER_FAILED) return 'the worker cannot announce this mail, while the API accepts other mail'
  if (failed.isLost) return 'the API ended the connection without a response, while it accepts other mail'
  if (failed.status === 502) return 'the API ended without a response (502), while it accepts other mail'
  return 'the API cannot store this mail (500), while it accepts other mail'
}
