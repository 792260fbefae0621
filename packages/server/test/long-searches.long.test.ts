import { test } from 'vitest'
import { expectShortHolds } from './support/search-holds.ts'

// The short form is in src/store/message-walk.test.ts.
test.each([1, 2, 3])('no filter blocks the event loop with 200,000 messages (seed %i)', async (seed) => {
  await expectShortHolds({ messages: 200_000, searches: 150, seed, holdMsMax: () => 100 })
})
