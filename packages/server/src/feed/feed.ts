/** Says "look again", nothing more: what there is to see stands in the store. */
export type Feed = {
  /** Something new is visible in the team. */
  wake(teamId: string): void
  /** Calls back after each wake of the team until the returned function is called. */
  subscribe(teamId: string, onWake: () => void): () => void
}

export function createLocalFeed(): Feed {
  const listeners = new Map<string, Set<() => void>>()
  return {
    wake(teamId) {
      for (const onWake of listeners.get(teamId) ?? []) onWake()
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
