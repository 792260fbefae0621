import { AppError, RETRY_SOON } from '../domain/errors.ts'
import { createKeyedSemaphore, type KeyedSemaphore } from '../domain/semaphore.ts'

/** Runs work of a key in turn. Work beyond `waitingMax` is refused with 503 and the text `busy`. */
export function createTurns(limits: { atOnceMax: number; waitingMax: number; busy: string }): KeyedSemaphore {
  const inTurn = createKeyedSemaphore(limits.atOnceMax)
  let waiting = 0
  return async (key, work) => {
    if (waiting >= limits.waitingMax) throw new AppError('server_busy', limits.busy, RETRY_SOON)
    waiting++
    try {
      return await inTurn(key, work)
    } finally {
      waiting--
    }
  }
}

/** Searches at once, one of each team. Each reads many messages. */
export const SEARCH_TURNS = { atOnceMax: 2, waitingMax: 500, busy: 'Too many searches are waiting. Retry.' }
