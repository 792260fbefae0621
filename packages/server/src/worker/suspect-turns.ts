/** How long other mail waits until those in flight have their response; after each failure twice as long. */
const DRAIN_MS = 1_000
/** After this long, no further suspect is begun. */
const SERIES_MS_MAX = 1_000
/** How long other mail may wait in all. An API that a mail blocks ends before (program/stuck-watch.ts). */
const ALONE_MS_MAX = 5_000
/** For each second of waiting, other mail flows for so many before the next suspects. */
const FLOW_PER_WAIT = 2

type Ports = {
  /** The one to announce next. */
  leastSuspect: (keys: Iterable<string>) => string | undefined
  /** How much mail has no response yet. */
  inFlightCount: () => number
  /** Whether other mail has to find out first that the API is back. */
  othersProbe: () => boolean
  /** Milliseconds of the monotonic clock. */
  now?: () => number
}

/** Nothing may begin, mail that is no suspect may, or only this suspect. */
type Turn = 'nothing' | 'others' | { suspect: string }

/**
 * Suspects may crash the API. They are announced one after another while nothing else is in flight, so that a crash takes no
 * other mail along and shows which one caused it. All by metadata key.
 */
export function createSuspectTurns({ leastSuspect, inFlightCount, othersProbe, now = () => performance.now() }: Ports) {
  const suspects = new Set<string>()
  let alone: string | null = null
  let othersWaitSince: number | null = null
  let nextAloneAt = 0
  let drainMs = DRAIN_MS

  function letOthersFlow(): void {
    const at = now()
    nextAloneAt = at + FLOW_PER_WAIT * (at - (othersWaitSince ?? at))
    othersWaitSince = null
    alone = null
  }

  function haveOthersWaited(ms: number): boolean {
    return now() - othersWaitSince! >= ms
  }

  return {
    add: (key: string) => suspects.add(key),
    /** The suspect in flight, with no other mail beside it. */
    alone: () => alone,
    /** The caller begins the attempt of a suspect at once, and calls `ended` after it. */
    next(): Turn {
      if (alone !== null && !haveOthersWaited(ALONE_MS_MAX)) return 'nothing'
      if (alone !== null) letOthersFlow()
      if (suspects.size === 0 || now() < nextAloneAt || othersProbe()) {
        othersWaitSince = null
        return 'others'
      }
      othersWaitSince ??= now()
      if (inFlightCount() > 0) {
        if (!haveOthersWaited(drainMs)) return 'nothing'
        drainMs = Math.min(2 * drainMs, ALONE_MS_MAX)
        letOthersFlow()
        return 'others'
      }
      drainMs = DRAIN_MS
      alone = leastSuspect(suspects)!
      suspects.delete(alone)
      return { suspect: alone }
    },
    /** The attempt has ended, with or without a response. */
    ended(key: string): void {
      if (alone !== key) return
      alone = null
      if (suspects.size === 0 || haveOthersWaited(SERIES_MS_MAX)) letOthersFlow()
    },
  }
}
