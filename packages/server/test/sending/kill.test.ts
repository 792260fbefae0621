import { test } from 'vitest'
import { oneProcess } from './fleets.ts'
import { expectAllDelivered, killWhileSending } from './kill-while-sending.ts'

// More of them, and three replicas, are in kill.long.test.ts.
test('webhooks survive a kill -9: all are delivered, few twice', async () => {
  expectAllDelivered(await killWhileSending(oneProcess, { kills: 1, messages: 25 }))
})
