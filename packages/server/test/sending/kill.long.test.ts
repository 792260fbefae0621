import { test } from 'vitest'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { oneProcess, replicas } from './fleets.ts'
import { expectAllDelivered, killWhileSending } from './kill-while-sending.ts'

const postgres = ownPostgres()
const FULL = { kills: 10, messages: 500 }

test('5,000 webhooks survive 10 kills -9: all are delivered, few twice', async () => {
  expectAllDelivered(await killWhileSending(oneProcess, FULL))
})

test('5,000 webhooks survive 10 kills -9 of 3 replicas: all are delivered, few twice', async () => {
  expectAllDelivered(await killWhileSending(replicas(postgres), FULL))
})
