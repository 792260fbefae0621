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
const SLOT_MS = 1_000

type Attempt = Pick<AnnouncementFailure, 'beganAt' | 'at'>
type Failed = AnnouncementFailure & { crashes: Attempt[]; hasRecovered: boolean }

/** Results of recent announcements by metadata key. They show whether a failure is due to the mail or the API. */
export function createRecentResults(now: () => number) {
  /** In order of the last failure, oldest first. */
  const failures = new Map<string, Failed>()
  /** Attempts at mail that was set aside. Its victims may report their failure later than it. */
  let explained: Attempt[] = []
  const acceptedBySlot = new Map<number, number>()
  let acceptedAt = 0

  function forgetOld(): void {
    const oldest = now() - RECENT_MS
    for (const [key, { at }] of failures) {
      if (at >= oldest && failures.size <= FAILURES_MAX) break
      failures.delete(key)
    }
    explained = explained.filter(({ at }) => at >= oldest).slice(-EXPLAINED_MAX)
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
      const [waiting, recovered]: [Failed[], Failed[]] = [[], []]
      for (const other of failures.values()) {
        if (!isVictim(other, crashes) && !isVictim(other, explained))
          (other.hasRecovered ? recovered : waiting).push(other)
      }
      const failing = countCauses(waiting)
      const culprits = failing > COMPANIONS_MAX ? [] : waiting
      const unexplained = withoutVictims(
        recovered,
        culprits.flatMap((culprit) => culprit.crashes),
      )
      const healed = countCauses(unexplained)
      failures.set(key, { ...failure, crashes, hasRecovered: false })
      const taken = acceptedBySlot.values().reduce((sum, count) => sum + count, 0)
      return { wasTaken: acceptedAt > failure.previousAt, taken, healed, failing }
    },
    /** For set-aside mail: it caused its own failures and those of its victims, so they say nothing about the API. */
    forget(key: string): void {
      explained.push(...(failures.get(key)?.crashes ?? []))
      failures.delete(key)
    },
  }
}

/** All mail that was in progress when the API crashed failed by one cause. Any other failure is one by itself. */
function countCauses(failures: Failed[]): number {
  let causes = 0
  let crashAt = -Infinity
  for (const { isCrash, at } of failures) {
    if (isCrash && at - crashAt < SAME_CRASH_MS) continue
    causes++
    if (isCrash) crashAt = at
  }
  return causes
}

/** Mail that another one, which keeps failing, may have taken along says nothing about the API. */
function withoutVictims(recovered: Failed[], crashes: Attempt[]): Failed[] {
  if (crashes.length === 0) return recovered
  const slotOf = ({ at }: Attempt) => Math.floor(at / SAME_CRASH_MS)
  const bySlot = Map.groupBy(crashes, slotOf)
  const near = (slot: number) => [-1, 0, 1].flatMap((step) => bySlot.get(slot + step) ?? [])
  return recovered.filter((failed) => !failed.isCrash || !isVictim(failed, near(slotOf(failed))))
}

/** Whether a mail failed only because the API crashed on another mail at the same time. */
function isVictim({ isCrash, beganAt, at }: Failed, crashes: Attempt[]): boolean {
  return (
    isCrash &&
    crashes.some((crash) => beganAt < crash.at && crash.beganAt < at && Math.abs(at - crash.at) < SAME_CRASH_MS)
  )
}
