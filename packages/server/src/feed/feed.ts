import type { PassingMessage } from '../store/messages.ts'

/**
 * Signals that new messages may exist; the store has them. If the new message is at hand it is passed along, and a
 * reader that has seen everything before it need not query the store.
 */
export type Feed = {
  /** Signals that something new is visible in the team. */
  wake(teamId: string, message: PassingMessage | null): void
  /** Calls back after each wake of the team until the returned function is called. */
  subscribe(teamId: string, onWake: (message: PassingMessage | null) => void): () => void
}

export type LocalFeed = Feed & {
  /** Wakes all subscribers after signals may have been missed. */
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
