import { test } from 'vitest'
import { oneProcess } from './fleets.ts'
import { expectAllDelivered, killWhileSending } from './kill-while-sending.ts'

const TIMEOUT = { timeout: 300_000 }

// More of them, and three replicas, are in kill.long.test.ts.
test('webhooks survive a kill -9: all are delivered, few twice', TIMEOUT, async () => {
  expectAllDelivered(await killWhileSending(oneProcess, { kills: 1, messages: 25 }))
})
