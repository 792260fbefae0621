import { mayRead, type Principal } from '../domain/access.ts'
import type { Store } from '../store/store.ts'

/** How long a check of a key stays valid, as for streams. Checking more often would delay every response. */
const FRESH_MS = 1_000

type FindPrincipal = Store['findPrincipal']

export type KeyChecks = {
  /** The same search. It remembers when it has found a key that may read. */
  remembering(find: FindPrincipal): FindPrincipal
  /** The key was deleted or rotated. */
  recordEnding(keyId: string): void
  /** Whether the key was found within the last second, for any request, and has not ended since. */
  isFresh(key: Pick<Principal, 'keyId' | 'keyHash'>): boolean
}

/** The checks of keys in this process. A rotated key keeps its id, so only its hash tells the old one from the new. */
export function createKeyChecks(now = () => performance.now()): KeyChecks {
  const findings = new Map<string, number>()
  const endings = new Map<string, number>()

  /** A search that takes long may end after a later one. Old entries are at the front. */
  function remember(times: Map<string, number>, key: string, time: number): void {
    if ((times.get(key) ?? -Infinity) > time) return
    times.delete(key)
    times.set(key, time)
    for (const [oldest, since] of times) {
      if (now() - since <= FRESH_MS) break
      times.delete(oldest)
    }
  }

  return {
    remembering: (find) => async (keyHash) => {
      const askedAt = now()
      const principal = await find(keyHash)
      if (principal && mayRead(principal)) remember(findings, keyHash, askedAt)
      return principal
    },
    recordEnding: (keyId) => remember(endings, keyId, now()),
    isFresh({ keyId, keyHash }) {
      const foundAt = findings.get(keyHash) ?? -Infinity
      return now() - foundAt < FRESH_MS && foundAt > (endings.get(keyId) ?? -Infinity)
    },
  }
}
