import { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { seededRandom } from '../support/seeded-random.ts'
import { startServer } from '../support/server.ts'
import { LATE_MS_MAX, lateMs, overlooked, runSchedules, type Senders } from './schedules.ts'
import { startSlowProxy } from './slow-proxy.ts'
import { startApiApart, startWorkers } from './workers-apart.ts'

const SEED = 2
const COUNT = 1_000

async function run(senders: Senders, seed: number, atOnce = 4) {
  const { runs, stalls } = await runSchedules(senders, { seed, count: COUNT, atOnce })
  const late = runs.map((each) => lateMs(each, stalls)).toSorted((one, next) => one - next)
  const mails = runs.flatMap((each) => each.mails).length
  const of = (share: number) => `${late[Math.floor(share * (COUNT - 1))]} ms`
  console.log(`${COUNT} schedules, ${mails} mails; late by ${of(0.5)} (median), ${of(0.99)} (99 %), ${of(1)} (most)`)
  return { overlooked: runs.flatMap(overlooked), late: late.filter((ms) => ms > LATE_MS_MAX) }
}

test('1,000 schedules: never while mail is on its way, and never later than needed by 200 ms', async () => {
  const { sdk, smtpPort } = await startServer()
  expect(await run({ sdk, smtpPorts: [smtpPort] }, SEED)).toEqual({ overlooked: [], late: [] })
})

test('1,000 schedules with three workers apart, whose announcements are late or lost: never while mail is on its way', async () => {
  const { api, apiKey } = await startApiApart()
  const url = await startSlowProxy([api.apiUrl], seededRandom(SEED))
  const workers = await startWorkers(url, 3)
  const smtpPorts = workers.map(({ smtpPort }) => smtpPort)
  const senders = { sdk: new Mailhatch({ url: api.apiUrl, apiKey }), smtpPorts }
  expect((await run(senders, SEED)).overlooked).toEqual([])
})

test('1,000 schedules with three workers apart: never later than needed by 200 ms', async () => {
  const { api, apiKey } = await startApiApart()
  const workers = await startWorkers(api.apiUrl, 3)
  const smtpPorts = workers.map(({ smtpPort }) => smtpPort)
  const senders = { sdk: new Mailhatch({ url: api.apiUrl, apiKey }), smtpPorts }
  // Before, the API may not know its workers yet.
  await (await senders.sdk.addresses.create()).settled()
  // Few at once: processes that wait for a core are late, too.
  expect(await run(senders, SEED + 1, 2)).toEqual({ overlooked: [], late: [] })
})
