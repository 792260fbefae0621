import { expect, test } from 'vitest'
import { freshDatabase } from '../support/postgres.ts'
import { delayCommits, dropTeamLock, followEverywhere } from './cursor-run.ts'
import { startReplicas } from './replicas.ts'

/** The long form has 50,000, which meet in more ways than these; so more of these meet. */
const MESSAGES = 200
const OFTEN = { share: 0.3, secondsMax: 0.03 }
const NOTHING_WRONG = { missed: [], surplus: [], disordered: [] }

test('on three replicas, each follower sees each of 200 messages once and in one order', async () => {
  const databaseUrl = await freshDatabase()
  const replicas = await startReplicas(databaseUrl)
  await delayCommits(databaseUrl, OFTEN)
  const report = await followEverywhere(replicas, { messages: MESSAGES, followers: 6 })
  expect(report).toMatchObject(NOTHING_WRONG)
})

test('control: without the lock that orders commits, messages are lost', async () => {
  const databaseUrl = await freshDatabase()
  const replicas = await startReplicas(databaseUrl)
  await delayCommits(databaseUrl, OFTEN)
  await dropTeamLock(databaseUrl)
  const report = await followEverywhere(replicas, { messages: MESSAGES, followers: 6, patienceMs: 2_000 })
  console.info(`${report.missed.length} times, a message was passed over`)
  expect(report.missed.length).toBeGreaterThan(0)
})
