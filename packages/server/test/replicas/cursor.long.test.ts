import { expect, test } from 'vitest'
import { delayCommits, followEverywhere } from './cursor-run.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas } from './replicas.ts'

const postgres = ownPostgres()

test(
  'on three replicas, each of 50 followers sees each of 50,000 messages once and in one order',
  { timeout: 1_800_000 },
  async () => {
    const databaseUrl = await postgres.database()
    const replicas = await startReplicas(databaseUrl)
    await delayCommits(databaseUrl)
    const report = await followEverywhere(replicas, { messages: 50_000, followers: 50, patienceMs: 300_000 })
    expect(report).toMatchObject({ missed: [], surplus: [], disordered: [] })
  },
)
