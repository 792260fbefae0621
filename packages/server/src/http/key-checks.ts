import type { Principal } from '../domain/access.ts'

/** How long a check of a key stays valid, as for streams. Checking more often would delay every response. */
const FRESH_MS = 1_000

export type KeyChecks = {
  /** The database had the key when it was asked at this time. */
  passed(keyHash: string, askedAt: number): void
  /** The key was deleted or rotated. */
  ended(keyId: string): void
  /** Whether the key was valid within the last second, for any request, and has not ended since. */
  isFresh(key: Pick<Principal, 'keyId' | 'keyHash'>): boolean
}

/** The checks of keys in this process. A rotated key keeps its id, so only its hash tells the old one from the new. */
export function createKeyChecks(now: () => number): KeyChecks {
  const passes = new Map<string, number>()
  const endings = new Map<string, number>()
  return {
    passed: (keyHash, askedAt) => remember(passes, keyHash, askedAt, now()),
    ended: (keyId) => remember(endings, keyId, now(), now()),
    isFresh({ keyId, keyHash }) {
      const passedAt = passes.get(keyHash) ?? -Infinity
      return now() - passedAt < FRESH_MS && passedAt > (endings.get(keyId) ?? -Infinity)
    },
  }
}

/** Forgets what is too old to matter. The oldest entries are the first. */
function remember(times: Map<string, number>, name: string, time: number, at: number): void {
  times.delete(name)
  times.set(name, time)
  for (const [oldest, since] of times) {
    if (at - since <= FRESH_MS) break
    times.delete(oldest)
  }
}
