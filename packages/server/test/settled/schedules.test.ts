import { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { seededRandom } from '../support/seeded-random.ts'
import { startServer } from '../support/server.ts'
import { overlooked, runSchedules, type ScheduleRun, type Senders, type SentMail } from './schedules.ts'
import { startSlowProxy } from './slow-proxy.ts'
import { startApiApart, startWorkers } from './workers-apart.ts'

const SEED = 1
/** The long form has 1,000. */
const COUNT = 20

test('all mail is said to have arrived only when none is on its way', async () => {
  const { sdk, smtpPort } = await startServer()
  const runs = await runUntilSomeCame({ sdk, smtpPorts: [smtpPort] })
  // Some mail came to nothing.
  expect(runs.some(({ mails }) => mails.some(({ seenAt }) => seenAt === null))).toBe(true)
})

test('the same with two workers in their own processes, whose announcements are late or lost', async () => {
  const { api, apiKey } = await startApiApart()
  const url = await startSlowProxy([api.apiUrl], seededRandom(SEED))
  const workers = await startWorkers(url, 2)
  const senders = {
    sdk: new Mailhatch({ url: api.apiUrl, apiKey }),
    smtpPorts: workers.map(({ smtpPort }) => smtpPort),
  }
  await runUntilSomeCame(senders)
})

/** A busy machine may delay all senders until it is too late for their schedule. Other schedules are tried then. */
async function runUntilSomeCame(senders: Senders): Promise<ScheduleRun[]> {
  for (let seed = SEED; ; seed++) {
    const { runs } = await runSchedules(senders, { seed, count: COUNT, atOnce: 10 })
    expect(runs.flatMap(overlooked)).toEqual([])
    if (runs.some(({ settled }) => settled.count > 0)) return runs
  }
}

test('control: mail that was overlooked is found', () => {
  const at = (ms: number) => new Date(ms).toISOString()
  const mail: SentMail = { subject: 'mail 0', acceptedAt: 10, endedAt: 30, seenAt: 35 }
  const found = (asOf: number, sent: SentMail) =>
    overlooked({ settled: { asOf: at(asOf), count: 0, messages: [] }, returnedAt: asOf + 5, mails: [sent] }).length
  expect(found(20, mail)).toBe(1)
  expect(found(40, mail)).toBe(1)
  expect(found(20, { ...mail, seenAt: null })).toBe(1)
  expect(found(10, mail)).toBe(0)
  expect(found(40, { ...mail, seenAt: null })).toBe(0)
})
