import type { AnnouncementRefusal } from './retry.ts'

// A mail that makes intake fail, or that ends the program that works on it, must neither be tried for days nor stop
// others. It is set aside after three failures of its own: kept, listed, and announced again only by hand.

export const OWN_FAILURES_MAX = 3

/** How far back failures of other mail are looked at. */
export const LATELY_MS = 10 * 60_000
/**
 * For each other mail that casts doubt on the API, so many must have been taken lately. An API that fails at one request
 * in ten by itself takes ten mails for each that failed before.
 */
const TAKEN_PER_DOUBT = 30
/** Before a mail is set aside, so many others must have been taken lately: one or two may have been lucky. */
const TAKEN_MIN = 5
/** So many others may fail as well and be poison themselves; more that fail have a common cause. */
const COMPANIONS_MAX = 3
/**
 * Before the second and the third failure that counts: what is wrong for a moment counts once, and by the third try
 * other mail has shown whether the API fails at it, too.
 */
const APART_MS = [0, 1_000, 5_000]

/** How long a recorded try may take: the longest wait for an answer (60 s), and as much for reading and parsing. */
const TRY_MS_MAX = 120_000

/** `isLost`: the API had the announcement and ended the connection without an answer, as it does when it dies. */
export type FailedTry = AnnouncementRefusal & { isLost: boolean }

/** What became of other mail, as far as it is known. */
export type Others = {
  /** Whether any was taken since the previous try at this mail. */
  wasTaken: boolean
  /** How many were taken lately. */
  taken: number
  /** How many failed lately in a way that looked like their own and were taken later: they were not to blame. */
  healed: number
  /** How many failed lately in such a way and have not been taken yet. */
  failing: number
}

/** A try that was recorded before it began, because the one before left no result. */
export type BegunTry = { at: string; by: string }

/** What the API is told, to list it among refusals. */
export type SetAsideNotice = { id: string; from: string; to: string; reason: string }

/**
 * Whether the mail itself may be the reason. A 500 and an API that ended the connection are, if other mail passes. A
 * timeout, a 503 or another answer of a proxy says nothing of the mail.
 */
export function mayBeOwn(failed: FailedTry): boolean {
  return failed.status === 500 || isDeath(failed)
}

/** As it looks when the API dies of an announcement: the connection is cut, or a proxy in front says that its was. */
export function isDeath({ status, code, isLost }: FailedTry): boolean {
  return isLost || (status === 502 && code === null)
}

/**
 * Failures of its own after one that may be. The first counts at once, those that follow only if the API took another
 * mail since the try before: an outage, however long, counts once. None counts while the API fails at others, too.
 */
export function countFailure(
  ownFailures: number,
  { others, sincePreviousMs }: { others: Others; sincePreviousMs: number },
): number {
  if (isApiDoubtful(others)) return ownFailures
  if (ownFailures === 0) return 1
  const isLast = ownFailures === OWN_FAILURES_MAX - 1
  const isShown = others.wasTaken && (!isLast || others.taken >= TAKEN_MIN)
  return isShown && sincePreviousMs >= apartMs(ownFailures) ? ownFailures + 1 : ownFailures
}

/** How long after the try before a mail with so many failures of its own is tried again, at the earliest. */
export function apartMs(ownFailures: number): number {
  return APART_MS[ownFailures] ?? 0
}

/** Mail that failed and passed later shows that the API fails by itself, and so do many that fail together. */
function isApiDoubtful({ taken, healed, failing }: Others): boolean {
  const doubts = healed + Math.max(0, failing - COMPANIONS_MAX)
  return taken < doubts * TAKEN_PER_DOUBT
}

/** Whether a recorded try is over: its program has started anew since, or has had more time than a try takes. */
export function hasEnded(begun: BegunTry, { by, now }: { by: string; now: number }): boolean {
  return begun.by === by || now >= endsBy(begun)
}

export function endsBy({ at }: BegunTry): number {
  return Date.parse(at) + TRY_MS_MAX
}

export function reasonFor(failed: FailedTry | 'program ended'): string {
  return `Set aside after ${OWN_FAILURES_MAX} failures: ${explain(failed)}.`
}

function explain(failed: FailedTry | 'program ended'): string {
  if (failed === 'program ended') return 'the program ended while it worked on this mail'
  if (failed.isLost) return 'the API ended the connection without an answer, while it takes other mail'
  if (failed.status === 502) return 'the API ended without an answer (502), while it takes other mail'
  return 'the API cannot store this mail (500), while it takes other mail'
}
