import { AppError, RETRY_SOON } from '../domain/errors.ts'

type Limits = {
  atOnceMax: number
  waitingMax: number
  /** A key that waits more often leaves no room for others. */
  waitingPerKeyMax: number
  /** The text of the refusal. */
  busy: string
}

/** Runs work as soon as its key has a turn. `proceed` throws if the client has gone, and then the work does not run. */
export type Turns = <Result>(key: string, work: () => Promise<Result>, proceed?: () => void) => Promise<Result>

type Waiting = { begin: () => void; refuse: (reason: unknown) => void; proceed: () => void }

/**
 * Runs at most `atOnceMax` pieces of work at a time and one per key, the keys in turn. Work beyond a limit is refused with 503, after
 * that of clients that have gone was dropped.
 */
export function createTurns({ atOnceMax, waitingMax, waitingPerKeyMax, busy }: Limits): Turns {
  /** By key, the next one first. */
  const queues = new Map<string, Waiting[]>()
  const running = new Set<string>()

  function beginNext(): void {
    for (const [key, queue] of queues) {
      if (running.size >= atOnceMax) return
      if (running.has(key)) continue
      const next = queue.shift()!
      if (queue.length === 0) queues.delete(key)
      running.add(key)
      next.begin()
    }
  }

  /** Others that wait come first. */
  function end(key: string): void {
    running.delete(key)
    const queue = queues.get(key)
    queues.delete(key)
    if (queue) queues.set(key, queue)
    beginNext()
  }

  function dropGone(): void {
    for (const [key, queue] of queues) {
      const left = queue.filter(isThere)
      if (left.length > 0) queues.set(key, left)
      else queues.delete(key)
    }
  }

  function isFull(key: string): boolean {
    const waiting = queues.values().reduce((sum, { length }) => sum + length, 0)
    return waiting >= waitingMax || (queues.get(key)?.length ?? 0) >= waitingPerKeyMax
  }

  return async (key, work, proceed = () => {}) => {
    if (isFull(key)) dropGone()
    if (isFull(key)) throw new AppError('server_busy', busy, RETRY_SOON)
    const turn = Promise.withResolvers<void>()
    const waiting = { begin: turn.resolve, refuse: turn.reject, proceed }
    const queue = queues.get(key) ?? []
    queue.push(waiting)
    queues.set(key, queue)
    beginNext()
    await turn.promise
    try {
      proceed()
      return await work()
    } finally {
      end(key)
    }
  }
}

/** Work of a client that has gone ends with what `proceed` throws. */
function isThere({ proceed, refuse }: Waiting): boolean {
  try {
    proceed()
    return true
  } catch (error) {
    refuse(error)
    return false
  }
}

/** Searches at once, one of each team. Each reads many messages. */
export const SEARCH_TURNS = {
  atOnceMax: 2,
  waitingMax: 500,
  // As many tests of a suite as run at once.
  waitingPerKeyMax: 100,
  busy: 'Too many searches are waiting. Retry.',
}
