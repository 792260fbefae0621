import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { API_KEY, spawnServer } from '../support/child-server.ts'
import { temporaryFolder } from '../support/server.ts'
import { startLoadProcess } from './load-process.ts'
import { countersOf } from './soak.ts'

const MAILS_PER_SECOND = 300
const WAITS = 500
const STREAMS = 200
/** Longer than a client of the database waits for a connection, and than a mail may take to be stored. */
const STOPPED_MS = 10_000
/** Ten seconds of mail, stored at half the rate that an idle machine reaches, and the mail of that time. */
const RECOVERY_MS_MAX = 30_000
const LOOK_MS = 100

const postgres = ownPostgres()

/** In the process that serves, everything stands still: mail, waits and streams pile up at once when it goes on. */
describe.each([
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ MAILHATCH_DATABASE_URL: await postgres.database() })],
])('on %s', (_, settings) => {
  test('a server that stood still for ten seconds under load catches up', async () => {
    const environment = { DATA_DIR: temporaryFolder(), METRICS: 'on', ...(await settings()) }
    const server = spawnServer({ environment })
    await server.ready
    const load = await startLoadProcess({
      url: server.apiUrl,
      apiKey: API_KEY,
      smtpPort: server.smtpPort,
      domain: 'mailhatch.test',
      mailsPerSecond: MAILS_PER_SECOND,
      waits: WAITS,
      streams: STREAMS,
    })
    await sleep(STOPPED_MS)
    const before = await countersOf(server.apiUrl)
    const sentAt = performance.now()
    server.process.kill('SIGSTOP')
    await sleep(STOPPED_MS)
    server.process.kill('SIGCONT')
    const wentOnAt = performance.now()
    const seen = { waiting: 0, recoveredMs: Infinity }
    while (performance.now() - wentOnAt < RECOVERY_MS_MAX) {
      const { waiting, stored } = await countersOf(server.apiUrl)
      seen.waiting = Math.max(seen.waiting, waiting)
      const sent = ((performance.now() - sentAt) / 1_000) * MAILS_PER_SECOND
      const isCaughtUp = stored - before.stored > sent - MAILS_PER_SECOND
      if (isCaughtUp) {
        seen.recoveredMs = performance.now() - wentOnAt
        break
      }
      await sleep(LOOK_MS)
    }
    const report = await load.stop()
    console.info(seen, { ...report, acceptedSubjects: undefined })
    expect(seen.recoveredMs).toBeLessThan(RECOVERY_MS_MAX)
    expect(report).toMatchObject({ waitsFailed: 0, missingInStreams: 0, doubledInStreams: 0, streamsFailed: 0 })
    // It was behind.
    expect(report.maxMs).toBeGreaterThan(STOPPED_MS / 2)
    await server.stop()
  })
})
