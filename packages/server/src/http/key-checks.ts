/** The longest time that a request is held. Afterwards, no request needs the entry. */
const REMEMBERED_MS = 60_000

export type KeyEndings = {
  record(keyId: string): void
  endedSince(keyId: string, time: number): boolean
}

/** Keys that were deleted or rotated by this process within the last minute. */
export function createKeyEndings(now: () => number): KeyEndings {
  const endings = new Map<string, number>()
  return {
    record(keyId) {
      const at = now()
      for (const [id, endedAt] of endings) if (at - endedAt > REMEMBERED_MS) endings.delete(id)
      endings.set(keyId, at)
    },
    endedSince: (keyId, time) => (endings.get(keyId) ?? -Infinity) >= time,
  }
}
