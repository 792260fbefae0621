import type { Bench } from '../bench.ts'
import { API_KEY, startProduct } from '../product.ts'
import { MAILHATCH } from '../results.ts'
import { percentile } from '../statistics.ts'

export const FROM_SENDING = 'Mailhatch, from the end of DATA'
export const SYNCED_WRITE = 'write and fsync of 2 kB'
const SQLITE_COMMIT = 'SQLite commit of 2 kB, synchronous=full'

const WARM_UP_MAILS = 50
const PERCENTILES = [50, 95, 99]

/** The time from the acknowledgement of a mail to the response of a held wait, compared with one synced write. */
export async function measureLatency({ folder, generator, plan, results }: Bench): Promise<void> {
  console.log(`latency, ${plan.latencyMails} messages one at a time`)
  const product = await startProduct(folder)
  const options = { smtpPort: product.smtpPort, apiPort: product.apiPort, apiKey: API_KEY, folder }
  await generator.run('measureLatency', { ...options, mails: WARM_UP_MAILS })
  const latencies = await generator.run('measureLatency', { ...options, mails: plan.latencyMails })
  await product.stop()
  const subjects = {
    [MAILHATCH]: latencies.acknowledgedToReadable,
    [FROM_SENDING]: latencies.sentToReadable,
    [SYNCED_WRITE]: latencies.syncedWrite,
    [SQLITE_COMMIT]: latencies.sqliteCommit,
  }
  for (const percent of PERCENTILES) {
    for (const [subject, values] of Object.entries(subjects)) {
      results.add({ measure: 'latency', scenario: `p${percent}`, subject, unit: 'ms' }, percentile(values, percent))
    }
  }
}
