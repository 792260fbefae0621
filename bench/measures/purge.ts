import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Bench } from '../bench.ts'
import { API_KEY, SOURCE_PROGRAM, startProduct, type Product } from '../product.ts'
import { MAILHATCH } from '../results.ts'
import { percentile } from '../statistics.ts'

export const IDLE = 'Mailhatch, nothing to remove'
export const PURGING = 'Mailhatch, while expired messages are removed'
export const PURGE_SCENARIO = 'p95 from the end of DATA to the answer'

const DAY_MS = 86_400_000
/** Longer than the retention of the starter plan. */
const AGE_DAYS = 20
const ROUNDS_MAX = 3
const SWEEP_SOON = { RETENTION_SWEEP_SECONDS: '1' }
const MAIL_BYTES = 2_000
const CONNECTIONS = 50
const FILL_MS_MAX = 300_000
const WARM_UP_MAILS = 30

/** How long mail takes to become readable while many expired messages are deleted, and while none are. */
export async function measurePurge({ folder, generator, plan, results }: Bench): Promise<void> {
  const filled = mkdtempSync(join(folder, 'filled-'))
  await fill()

  for (let round = 1; round <= Math.min(plan.rounds, ROUNDS_MAX); round++) {
    console.log(`purge, round ${round}`)
    const dataDir = mkdtempSync(join(folder, 'purge-'))
    cpSync(filled, dataDir, { recursive: true })
    const product = await startProduct(folder, { environment: { ...SWEEP_SOON, DATA_DIR: dataDir } })
    await readableWithin(product, WARM_UP_MAILS)
    add(IDLE, await readableWithin(product, plan.purgeMails))
    // On this plan, everything except the mail of this round has expired.
    mailhatch(dataDir, 'teams', 'plan', await product.teamId(), 'starter')
    add(PURGING, await readableWithin(product, plan.purgeMails))
    const left = countExpired(dataDir)
    results.add(
      { measure: 'purge', scenario: 'expired messages left at the end', subject: MAILHATCH, unit: 'messages' },
      left,
    )
    if (left === 0)
      results.note('The purge ended before the last mail was measured: the figure is partly that of an idle server.')
    await product.stop()
  }

  async function fill(): Promise<void> {
    console.log(`purge, filling a store with ${plan.purgeMessages} messages`)
    const product = await startProduct(folder, { environment: { DATA_DIR: filled } })
    const mail = { sizeBytes: MAIL_BYTES, recipient: 'old@mailhatch.test' }
    const load = { port: product.smtpPort, mail, connections: CONNECTIONS, reuse: true, durationMs: FILL_MS_MAX }
    const { acknowledged } = await generator.run('runSmtpLoad', { ...load, mailsMax: plan.purgeMessages })
    await product.untilReadable(acknowledged)
    await product.stop()
    // Backdate the messages.
    withMessages(filled, (database) =>
      database.prepare('update messages set received_at = received_at - ?').run(AGE_DAYS * DAY_MS),
    )
  }

  async function readableWithin(product: Product, mails: number): Promise<number> {
    const { smtpPort, apiPort } = product
    const options = { smtpPort, apiPort, apiKey: API_KEY, folder, mails }
    return percentile((await generator.run('measureLatency', options)).sentToReadable, 95)
  }

  function add(subject: string, p95: number): void {
    results.add({ measure: 'purge', scenario: PURGE_SCENARIO, subject, unit: 'ms' }, p95)
  }
}

function mailhatch(dataDir: string, ...words: string[]): void {
  execFileSync(process.execPath, [SOURCE_PROGRAM, ...words], { env: { DATA_DIR: dataDir } })
}

function countExpired(dataDir: string): number {
  return withMessages(dataDir, (database) => {
    const before = Date.now() - AGE_DAYS * DAY_MS
    const row = database.prepare('select count(*) as count from messages where received_at < ?').get(before)
    return Number(row!['count'])
  })
}

function withMessages<Result>(dataDir: string, work: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(join(dataDir, 'mailhatch.db'))
  try {
    return work(database)
  } finally {
    database.close()
  }
}
