import { RECENT_MS, type OtherResults } from '../domain/set-aside.ts'
import type { AnnouncementFailure } from './announce-stored.ts'

/** Most recent failures remembered. Among this many, almost all have a common cause. */
const FAILURES_MAX = 10_000
/** Attempts remembered per mail that ended with a crash of the API. A mail is set aside before it reaches this. */
const CRASHES_MAX = 10
/** All connections of a crashing process end within this time. */
const SAME_CRASH_MS = 250
const SLOT_MS = 1_000

type Attempt = Pick<AnnouncementFailure, 'beganAt' | 'at'>
type Failed = AnnouncementFailure & { crashes: Attempt[]; hasRecovered: boolean }

/** Results of recent announcements by metadata key. They show whether a failure is due to the mail or the API. */
export function createRecentResults(now: () => number) {
  /** In order of the last failure, oldest first. */
  const failures = new Map<string, Failed>()
  const acceptedBySlot = new Map<number, number>()
  let acceptedAt = 0

  function forgetOld(): void {
    const oldest = now() - RECENT_MS
    for (const [key, { at }] of failures) {
      if (at >= oldest && failures.size <= FAILURES_MAX) break
      failures.delete(key)
    }
    for (const slot of acceptedBySlot.keys()) {
      if (slot * SLOT_MS >= oldest) break
      acceptedBySlot.delete(slot)
    }
  }

  return {
    noteAccepted(key: string): void {
      acceptedAt = now()
      const slot = Math.floor(acceptedAt / SLOT_MS)
      acceptedBySlot.set(slot, (acceptedBySlot.get(slot) ?? 0) + 1)
      const failed = failures.get(key)
      if (failed) failed.hasRecovered = true
      forgetOld()
    },
    noteFailure(key: string, failure: AnnouncementFailure): OtherResults {
      const earlier = failures.get(key)?.crashes ?? []
      const crashes = failure.isCrash ? [...earlier, failure].slice(-CRASHES_MAX) : earlier
      failures.delete(key)
      forgetOld()
      let [healed, failing] = [0, 0]
      for (const other of failures.values()) {
        if (isVictim(other, crashes)) continue
        if (other.hasRecovered) healed++
        else failing++
      }
      failures.set(key, { ...failure, crashes, hasRecovered: false })
      const taken = acceptedBySlot.values().reduce((sum, count) => sum + count, 0)
      return { wasTaken: acceptedAt > failure.previousAt, taken, healed, failing }
    },
    /** For set-aside mail: the mail caused the failures, so they say nothing about the API. */
    forget: (key: string): void => void failures.delete(key),
  }
}

/** Whether a mail failed only because the API crashed on another mail at the same time. */
function isVictim({ isCrash, beganAt, at }: Failed, crashes: Attempt[]): boolean {
  return (
    isCrash &&
    crashes.some((crash) => beganAt < crash.at && crash.beganAt < at && Math.abs(at - crash.at) < SAME_CRASH_MS)
  )
}
