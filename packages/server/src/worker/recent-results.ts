import { COMPANIONS_MAX, RECENT_MS, type OtherResults } from '../domain/set-aside.ts'
import type { AnnouncementFailure } from './announce-stored.ts'

/** Most recent failures remembered. Among this many, almost all have a common cause. */
const FAILURES_MAX = 10_000
/** Attempts remembered per mail that ended with a crash of the API. A mail is set aside before it reaches this. */
const CRASHES_MAX = 10
/** Attempts remembered of mail that was set aside: more than a hundred such messages in ten minutes have a common cause. */
const EXPLAINED_MAX = 300
/** All connections of a crashing process end within this time. */
const SAME_CRASH_MS = 250

type Attempt = Pick<AnnouncementFailure, 'beganAt' | 'at'>
type Failed = AnnouncementFailure & {
  crashes: Attempt[]
  hasHealed: boolean
  /** A mail that was set aside caused it. */
  isExplained: boolean
}

/** Results of recent announcements by metadata key. They show whether a failure is due to the mail or the API. */
export function createRecentResults(now: () => number) {
  /** In order of the last failure, oldest first. */
  const failures = new Map<string, Failed>()
  /** Attempts at mail that was set aside. Its victims may report their failure later than it. */
  let explained: Attempt[] = []
  const acceptedBySlot = new Map<number, number>()
  let accepted = 0
  let acceptedAt = 0

  function forgetOld(): void {
    const oldest = now() - RECENT_MS
    for (const [key, { at }] of failures) {
      if (at >= oldest && failures.size <= FAILURES_MAX) break
      failures.delete(key)
    }
    for (const [slot, count] of acceptedBySlot) {
      if (slot * SAME_CRASH_MS >= oldest) break
      acceptedBySlot.delete(slot)
      accepted -= count
    }
  }

  return {
    noteAccepted(key: string): void {
      acceptedAt = now()
      const slot = Math.floor(acceptedAt / SAME_CRASH_MS)
      acceptedBySlot.set(slot, (acceptedBySlot.get(slot) ?? 0) + 1)
      accepted++
      const failed = failures.get(key)
      if (failed) failed.hasHealed = true
      forgetOld()
    },
    noteFailure(key: string, failure: AnnouncementFailure): OtherResults {
      const earlier = failures.get(key)?.crashes ?? []
      const crashes = failure.isCrash ? [...earlier, failure].slice(-CRASHES_MAX) : earlier
      failures.delete(key)
      forgetOld()
      const [failing, healed]: [Failed[], Failed[]] = [[], []]
      for (const other of failures.values()) {
        if (!other.isExplained && !isVictim(other, crashes)) (other.hasHealed ? healed : failing).push(other)
      }
      const causes = countCauses(failing, 1)
      const culprits = causes > COMPANIONS_MAX ? [] : failing
      const unexplained = withoutVictims(
        healed,
        culprits.flatMap((culprit) => culprit.crashes),
      )
      failures.set(key, { ...failure, crashes, hasHealed: false, isExplained: isVictim(failure, explained) })
      // A crash counts as much as the mail that is accepted in the same time, however much mail there is.
      const acceptedAtOnce = Math.max(1, accepted / Math.max(1, acceptedBySlot.size))
      return {
        wasTaken: acceptedAt > failure.previousAt,
        taken: accepted,
        healed: countCauses(unexplained, acceptedAtOnce),
        failing: causes,
      }
    },
    /** The one to announce next of mail that may have crashed the API. */
    leastSuspect(keys: Iterable<string>): string | undefined {
      let least: { key: string; failed: Failed | undefined } | undefined
      for (const key of keys) {
        const failed = failures.get(key)
        if (!least || isLessSuspect(failed, least.failed)) least = { key, failed }
      }
      return least?.key
    },
    /** For set-aside mail: it caused its own failures and those of its victims, so they say nothing about the API. */
    forget(key: string): void {
      const crashes = failures.get(key)?.crashes ?? []
      failures.delete(key)
      for (const other of failures.values()) other.isExplained ||= isVictim(other, crashes)
      explained = [...explained, ...crashes].slice(-EXPLAINED_MAX)
    },
  }
}

/** All mail that was in progress when the API crashed failed by one cause. Any other failure is one by itself. */
function countCauses(failures: Failed[], perCrash: number): number {
  let causes = 0
  let crashAt = -Infinity
  for (const { isCrash, at } of failures) {
    if (isCrash && Math.abs(at - crashAt) < SAME_CRASH_MS) continue
    causes += isCrash ? perCrash : 1
    if (isCrash) crashAt = at
  }
  return causes
}

/**
 * Fewer crashes, then the earlier one. Of those at the same crash, the one that was begun last: a mail that blocks the API was
 * begun before those that it takes along. One without a remembered failure is no suspect.
 */
function isLessSuspect(one: Failed | undefined, other: Failed | undefined): boolean {
  if (!one || !other) return other !== undefined
  if (one.crashes.length !== other.crashes.length) return one.crashes.length < other.crashes.length
  return slotOf(one) === slotOf(other) ? one.beganAt > other.beganAt : one.at < other.at
}

function slotOf({ at }: Attempt): number {
  return Math.floor(at / SAME_CRASH_MS)
}

/** Mail that another one, which keeps failing, may have taken along says nothing about the API. */
function withoutVictims(healed: Failed[], crashes: Attempt[]): Failed[] {
  const bySlot = Map.groupBy(crashes, slotOf)
  const isTakenAlong = (failed: Failed) =>
    [-1, 0, 1].some((step) => isVictim(failed, bySlot.get(slotOf(failed) + step) ?? []))
  return crashes.length === 0 ? healed : healed.filter((failed) => !isTakenAlong(failed))
}

/** Whether a mail failed only because the API crashed on another mail at the same time. */
function isVictim({ isCrash, beganAt, at }: AnnouncementFailure, crashes: Attempt[]): boolean {
  return (
    isCrash &&
    crashes.some((crash) => beganAt < crash.at && crash.beganAt < at && Math.abs(at - crash.at) < SAME_CRASH_MS)
  )
}
