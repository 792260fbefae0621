import type { Refusal } from './retry.ts'

// A mail that makes intake fail, or that ends the program that works on it, must neither be tried for days nor stop
// others. It is set aside after three failures of its own: kept, listed, and announced again only by hand.

export const OWN_FAILURES_MAX = 3

/** How long a recorded try may take: the longest wait for an answer (60 s), and as much for reading and parsing. */
const TRY_MS_MAX = 120_000

/** `isLost`: the API had the announcement and ended the connection without an answer, as it does when it dies. */
export type FailedTry = Refusal & { isLost: boolean }

/** A try that was recorded before it began, because the one before left no result. */
export type BegunTry = { at: string; by: string }

/** What the API is told, to list it among refusals. */
export type SetAsideNotice = { id: string; from: string; to: string; reason: string }

/**
 * Whether the mail itself may be the reason. A timeout, a 503 or what a proxy answers says nothing of the mail; a 500
 * and a connection that was cut do, if other mail passes.
 */
export function mayBeOwn({ status, isLost }: FailedTry): boolean {
  return status === 500 || isLost
}

/**
 * Failures of its own after one that may be. The first counts at once, those that follow only if the API took another
 * mail since the try before: an outage, however long, counts once.
 */
export function countFailure(ownFailures: number, wasOtherTaken: boolean): number {
  return ownFailures === 0 || wasOtherTaken ? ownFailures + 1 : ownFailures
}

/** Whether a recorded try is over: its program has started anew since, or has had more time than a try takes. */
export function hasEnded(begun: BegunTry, { by, now }: { by: string; now: number }): boolean {
  return begun.by === by || now >= endsBy(begun)
}

export function endsBy({ at }: BegunTry): number {
  return Date.parse(at) + TRY_MS_MAX
}

export function reasonFor(failed: FailedTry | 'program ended'): string {
  const why =
    failed === 'program ended'
      ? 'the program ended while it worked on this mail'
      : failed.isLost
        ? 'the API ended the connection without an answer, while it takes other mail'
        : 'the API cannot store this mail (500), while it takes other mail'
  return `Set aside after ${OWN_FAILURES_MAX} tries: ${why}.`
}
