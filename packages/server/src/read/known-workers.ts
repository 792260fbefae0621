/** How long a worker that went away without a word is expected back. It may have mail that it has not announced. */
const EXPECTED_MS = 600_000
/** For so long after a worker has left, what another process reports about it may be older. */
const STALE_MS = 10_000
/** How often other processes hear of a worker that cannot be asked. */
const REPORT_EVERY_MS = 60_000

/** Which workers there are. Those that have left on purpose are forgotten at once, others after ten minutes. */
export function createKnownWorkers(now: () => number = () => performance.now()) {
  const seenAt = new Map<string, number>()
  const leftAt = new Map<string, number>()
  let unaskedAt = -Infinity
  let reportedAt = -Infinity

  function forgetOld(times: Map<string, number>, afterMs: number): void {
    for (const [worker, at] of times) if (now() - at > afterMs) times.delete(worker)
  }

  function seen(worker: string): void {
    seenAt.set(worker, now())
  }

  return {
    seen,
    /** True if it was not known. */
    joined(worker: string): boolean {
      const isNew = !seenAt.has(worker)
      leftAt.delete(worker)
      seen(worker)
      return isNew
    },
    seenElsewhere(worker: string): void {
      forgetOld(leftAt, STALE_MS)
      if (!leftAt.has(worker)) seen(worker)
    },
    left(worker: string): void {
      seenAt.delete(worker)
      leftAt.set(worker, now())
    },
    known(): string[] {
      forgetOld(seenAt, EXPECTED_MS)
      return Array.from(seenAt.keys())
    },
    /** A worker has announced mail that does not answer questions. True if it is time to report that to other processes. */
    noteUnasked(): boolean {
      unaskedAt = now()
      if (now() - reportedAt < REPORT_EVERY_MS) return false
      reportedAt = now()
      return true
    },
    unaskedElsewhere(): void {
      unaskedAt = now()
    },
    isOneUnasked: () => now() - unaskedAt < EXPECTED_MS,
  }
}
