import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { delayCommits, followEverywhere, numberAtInsert } from './cursor-run.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas } from './replicas.ts'

const postgres = ownPostgres()
const TIMEOUT = { timeout: 180_000 }
const NOTHING_WRONG = { missed: [], surplus: [], disordered: [] }

test('on three replicas, each follower sees each of 500 messages once and in one order', TIMEOUT, async () => {
  const databaseUrl = await postgres.database()
  const replicas = await startReplicas(databaseUrl)
  await delayCommits(databaseUrl)
  const report = await followEverywhere(replicas, { messages: 500, followers: 6 })
  expect(report).toMatchObject(NOTHING_WRONG)
})

test('control: without the lock that orders commits, messages are lost', TIMEOUT, async () => {
  const databaseUrl = await postgres.database()
  const guard = fileURLToPath(new URL('without-guard.ts', import.meta.url))
  const replicas = await startReplicas(databaseUrl, { nodeArguments: ['--import', guard] })
  await delayCommits(databaseUrl)
  await numberAtInsert(databaseUrl)
  const report = await followEverywhere(replicas, { messages: 500, followers: 6, patienceMs: 2_000 })
  console.info(`${report.missed.length} times, a message was passed over`)
  expect(report.missed.length).toBeGreaterThan(0)
})
