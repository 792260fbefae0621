import type { PassingMessage } from '../store/store.ts'

/**
 * Says "look again": what there is to see stands in the store. Where the new message is at hand it comes along, which
 * spares whoever has seen everything before it the look.
 */
export type Feed = {
  /** Something new is visible in the team. */
  wake(teamId: string, message: PassingMessage | null): void
  /** Calls back after each wake of the team until the returned function is called. */
  subscribe(teamId: string, onWake: (message: PassingMessage | null) => void): () => void
}

export type LocalFeed = Feed & {
  /** Whatever was missed: everyone looks again. */
  wakeAll(): void
}

export function createLocalFeed(): LocalFeed {
  const listeners = new Map<string, Set<(message: PassingMessage | null) => void>>()
  return {
    wake(teamId, message) {
      for (const onWake of listeners.get(teamId) ?? []) onWake(message)
    },
    wakeAll() {
      for (const team of listeners.values()) for (const onWake of team) onWake(null)
    },
    subscribe(teamId, onWake) {
      const team = listeners.get(teamId) ?? new Set()
      listeners.set(teamId, team.add(onWake))
      return () => {
        team.delete(onWake)
        if (team.size === 0) listeners.delete(teamId)
      }
    },
  }
}
