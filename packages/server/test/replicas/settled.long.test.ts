import { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { overlooked, runSchedules } from '../settled/schedules.ts'
import { startSlowProxy } from '../settled/slow-proxy.ts'
import { startWorkers } from '../settled/workers-apart.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas } from './replicas.ts'

const COUNT_PER_REPLICA = 334

const postgres = ownPostgres()

test('1,000 schedules on three replicas, one of them all-in-one, and two workers: never while mail is on its way', async () => {
  const databaseUrl = await postgres.database()
  const { urls, key, start } = await startReplicas(databaseUrl, { count: 2 })
  const allInOne = await start({
    program: 'serve',
    environment: { DATABASE_URL: '', MAILHATCH_DATABASE_URL: databaseUrl },
  })
  const workers = await startWorkers(await startSlowProxy(urls, seededRandom(3)), 2)
  const smtpPorts = [...workers, allInOne].map(({ smtpPort }) => smtpPort)
  for (const [seed, url] of [...urls, allInOne.apiUrl].entries()) {
    const sdk = new Mailhatch({ url, apiKey: key })
    const { runs } = await runSchedules({ sdk, smtpPorts }, { seed, count: COUNT_PER_REPLICA, atOnce: 8 })
    expect(runs.flatMap(overlooked)).toEqual([])
    expect(runs.some(({ settled }) => settled.count > 0)).toBe(true)
  }
})
