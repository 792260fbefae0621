import { expect, test } from 'vitest'
import { SENDER_LIMITS } from '../../src/notify/sender.ts'
import { deliver } from './dead-endpoints.ts'

const DEAD = 5
/** More attempts than may be in flight, if nothing limited those at one endpoint. */
const MESSAGES = Math.ceil(SENDER_LIMITS.inFlight / DEAD) + 5

// How long healthy endpoints take is compared in dead-endpoints.long.test.ts.
test('endpoints that never respond take few places, and the others receive everything', async () => {
  const { mostHanging } = await deliver({ dead: DEAD, messages: MESSAGES })
  expect(mostHanging).toBeGreaterThanOrEqual(DEAD)
  expect(mostHanging).toBeLessThanOrEqual(SENDER_LIMITS.inFlight / 2)
})
