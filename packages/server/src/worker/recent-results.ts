import { LATELY_MS, type Others } from '../domain/set-aside.ts'
import type { Failure } from './announce-stored.ts'

/** Failures that are remembered, the newest: of so many, all but a few have a common cause. */
const FAILURES_MAX = 10_000
/** Tries of one mail that ended with a death of the API; a mail is set aside before it has had more. */
const DEATHS_MAX = 10
/** A process that dies ends all its connections at once. */
const SAME_DEATH_MS = 250
const SLOT_MS = 1_000

type Try = Pick<Failure, 'beganAt' | 'at'>
type Failed = Failure & { deaths: Try[]; isHealed: boolean }

export type RecentResults = ReturnType<typeof createRecentResults>

/** How announcements went in the last minutes, by the key of the mail: what tells a mail's own failure from the API's. */
export function createRecentResults(now: () => number) {
  /** The mail that failed last comes last. */
  const failures = new Map<string, Failed>()
  const takenBySlot = new Map<number, number>()
  let takenAt = 0

  function forgetOld(): void {
    const oldest = now() - LATELY_MS
    for (const [key, { at }] of failures) {
      if (at >= oldest && failures.size <= FAILURES_MAX) break
      failures.delete(key)
    }
    for (const slot of takenBySlot.keys()) {
      if (slot * SLOT_MS >= oldest) break
      takenBySlot.delete(slot)
    }
  }

  return {
    noteTaken(key: string): void {
      takenAt = now()
      const slot = Math.floor(takenAt / SLOT_MS)
      takenBySlot.set(slot, (takenBySlot.get(slot) ?? 0) + 1)
      const failed = failures.get(key)
      if (failed) failed.isHealed = true
      forgetOld()
    },
    noteFailure(key: string, failure: Failure): Others {
      const earlier = failures.get(key)?.deaths ?? []
      const deaths = failure.isDeath ? [...earlier, failure].slice(-DEATHS_MAX) : earlier
      failures.delete(key)
      forgetOld()
      let [healed, failing] = [0, 0]
      for (const other of failures.values()) {
        if (isVictim(other, deaths)) continue
        if (other.isHealed) healed++
        else failing++
      }
      failures.set(key, { ...failure, deaths, isHealed: false })
      const taken = takenBySlot.values().reduce((sum, count) => sum + count, 0)
      return { wasTaken: takenAt > failure.previousAt, taken, healed, failing }
    },
    /** Of a mail that was set aside: it was to blame, and says nothing of the API. */
    forget: (key: string): void => void failures.delete(key),
  }
}

/** Whether a mail was under way when the API died of another, and failed with it. */
function isVictim({ isDeath, beganAt, at }: Failed, deaths: Try[]): boolean {
  return (
    isDeath &&
    deaths.some((death) => beganAt < death.at && death.beganAt < at && Math.abs(at - death.at) < SAME_DEATH_MS)
  )
}
