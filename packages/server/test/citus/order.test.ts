import { expect, test } from 'vitest'
import { delayCommits, followEverywhere } from '../replicas/cursor-run.ts'
import { startReplicas } from '../replicas/replicas.ts'
import { freshDatabase } from '../support/postgres.ts'

test('on three replicas, each follower sees each message once and in one order, also with late commits on the node', async () => {
  const databaseUrl = await freshDatabase()
  const replicas = await startReplicas(databaseUrl)
  await delayCommits(databaseUrl, { share: 0.3, secondsMax: 0.03 })
  const report = await followEverywhere(replicas, { messages: 200, followers: 6 })
  expect(report).toMatchObject({ missed: [], surplus: [], disordered: [] })
})
