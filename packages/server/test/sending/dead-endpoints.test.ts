import { expect, test } from 'vitest'
import { deliver } from './dead-endpoints.ts'

/** With five dead endpoints, more attempts than may be in flight at once. */
const MESSAGES = 45
/** On a busy machine, healthy endpoints may take longer than a dead one until its timeout. */
const ROUNDS_MAX = 3

// How long they take is compared in dead-endpoints.long.test.ts.
test('healthy endpoints receive everything before an attempt at a dead one has ended', async () => {
  const ended: number[] = []
  while (ended.length < ROUNDS_MAX && !ended.includes(0))
    ended.push((await deliver({ dead: 5, messages: MESSAGES })).ended)
  expect(ended).toContain(0)
})
