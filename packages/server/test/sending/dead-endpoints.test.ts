import { expect, test } from 'vitest'
import { healthyLatencies } from './dead-endpoints.ts'

// How long they take is compared in dead-endpoints.long.test.ts.
test('endpoints that never respond do not keep others from receiving everything', async () => {
  // One that waited for the dead ones would wait for their timeouts, message by message.
  expect(await healthyLatencies({ dead: 5, messages: 10 })).toHaveLength(150)
})
