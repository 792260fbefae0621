/** Work that waits per team. */
export type TeamQueues<Item> = {
  add(teamId: string, item: Item): void
  /** Resolves when nothing waits or runs. */
  close(): Promise<void>
}

/**
 * Runs the work of each team one group after another: while one runs, the next one is collected. `runGroup` takes from the
 * queue what it runs, at least one, and does not reject.
 */
export function createTeamQueues<Item>(runGroup: (teamId: string, waiting: Item[]) => Promise<void>): TeamQueues<Item> {
  const queues = new Map<string, Item[]>()
  const running = new Set<Promise<void>>()

  async function runQueue(teamId: string, waiting: Item[]): Promise<void> {
    while (waiting.length > 0) await runGroup(teamId, waiting)
    queues.delete(teamId)
  }

  return {
    add(teamId, item) {
      const waiting = queues.get(teamId)
      if (waiting) {
        waiting.push(item)
        return
      }
      const queue = [item]
      queues.set(teamId, queue)
      const work = runQueue(teamId, queue).finally(() => running.delete(work))
      running.add(work)
    },

    async close() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
