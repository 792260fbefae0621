import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../../src/store/store.ts'
import type { SeededRandom } from '../support/seeded-random.ts'

/**
 * A store as a database far away is one: a read sees what is there some time after it was asked for, and answers some
 * time after that, so that answers also come in another order than the questions.
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
