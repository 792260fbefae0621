import { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { OpenMail } from '../settled/open-mail.ts'
import { overlooked, runSchedules } from '../settled/schedules.ts'
import { startSlowProxy } from '../settled/slow-proxy.ts'
import { startWorkers } from '../settled/workers-apart.ts'
import { freshDatabase } from '../support/postgres.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { startReplicas } from './replicas.ts'

const COUNT = 10

test('every replica knows what the workers of all others have', async () => {
  const { urls, key } = await startReplicas(await freshDatabase(), { count: 2 })
  const workers = await startWorkers(await startSlowProxy(urls, seededRandom(1)), 2)
  const smtpPorts = workers.map(({ smtpPort }) => smtpPort)
  const sdks = urls.map((url) => new Mailhatch({ url, apiKey: key }))
  for (const [index, sdk] of sdks.entries()) {
    const inbox = await sdk.addresses.create()
    for (const port of smtpPorts) {
      const mail = await OpenMail.begin(port, inbox.address)
      await expect
        .poll(() => sdk.messages.settled({ mailbox: inbox.address, quiet: 0, wait: 0 }))
        .toMatchObject({ settled: false, onItsWay: { transactions: 1 } })
      mail.close()
      expect(await inbox.settled({ quiet: 0 })).toMatchObject({ settled: true, count: 0, unknown: [] })
    }
    const { runs } = await runSchedules({ sdk, smtpPorts }, { seed: index, count: COUNT, atOnce: 5 })
    expect(runs.flatMap(overlooked)).toEqual([])
    expect(runs.some(({ settled }) => settled.count > 0)).toBe(true)
  }
})
