import { test } from 'vitest'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { oneProcess, replicas, SHORT_LEASES } from './fleets.ts'
import { expectAllDelivered, killWhileSending } from './kill-while-sending.ts'

const postgres = ownPostgres()
const TIMEOUT = { timeout: 300_000 }
const SHORT = { kills: 2, messages: 25 }

test('webhooks survive 2 kills -9: all are delivered, few twice', TIMEOUT, async () => {
  expectAllDelivered(await killWhileSending(oneProcess, SHORT))
})

test('webhooks survive 2 kills -9 of 3 replicas: all are delivered, few twice', TIMEOUT, async () => {
  expectAllDelivered(await killWhileSending(replicas(postgres, SHORT_LEASES), SHORT))
})
