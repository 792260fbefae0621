import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../../src/store/store.ts'
import type { SeededRandom } from '../support/seeded-random.ts'

/**
 * A store like a remote database: a read runs some time after the call, and its result arrives some time after that, so
 * that results also arrive out of order.
 */
export function lateStore(store: Store, random: SeededRandom, msMax: number): Store {
  async function late<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    await delay(random.below(msMax))
    const answer = await read()
    await delay(random.below(msMax))
    return answer
  }
  return {
    ...store,
    newestPosition: (...given) => late(() => store.newestPosition(...given)),
    newestPositions: (...given) => late(() => store.newestPositions(...given)),
    passingMessages: (...given) => late(() => store.passingMessages(...given)),
    followMessages: (...given) => late(() => store.followMessages(...given)),
    latestMessage: (...given) => late(() => store.latestMessage(...given)),
  }
}
