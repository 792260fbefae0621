import type { ArrivedMessage } from '../store/messages.ts'

/**
 * Signals that new messages may exist; the store has them. If the new message is at hand it is passed along, and a
 * reader that has seen everything before it need not query the store.
 */
export type Feed = {
  /** Signals that something new is visible in the team. */
  wake(teamId: string, message: ArrivedMessage | null): void
  /** Calls back after each wake of the team until the returned function is called. */
  subscribe(teamId: string, onWake: (message: ArrivedMessage | null) => void): () => void
}

/** Short texts between the processes on the same database. */
export type Broadcasts = {
  /** Whether there may be other processes. */
  isShared: boolean
  /** False if it was not sent. At most 7,500 bytes. */
  send(text: string): Promise<boolean>
  /** Calls back for each text of another process, and with null when some may have been lost, until the returned function is called. */
  onMessage(take: (text: string | null) => void): () => void
}

/** For a process that is alone on its database. */
export const NO_BROADCASTS: Broadcasts = { isShared: false, send: async () => true, onMessage: () => () => {} }

export type LocalFeed = Feed & {
  /** Wakes all subscribers after signals may have been missed. */
  wakeAll(): void
}

export function createLocalFeed(): LocalFeed {
  const listeners = new Map<string, Set<(message: ArrivedMessage | null) => void>>()
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
