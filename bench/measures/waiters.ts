import { readFileSync } from 'node:fs'
import type { Bench } from '../bench.ts'
import { API_KEY, startProduct } from '../product.ts'
import { MAILHATCH } from '../results.ts'
import { percentile } from '../statistics.ts'

export const WOKEN = 'woken'
export const HOLDING = 'memory while holding'

/** Open files of the two processes besides the held connections. */
const OTHER_FILES = 500

/** Holds many waits in one process, then sends a mail to each. */
export async function measureWaiters({ folder, generator, plan, results }: Bench): Promise<void> {
  const needed = plan.waiters + OTHER_FILES
  const allowed = openFilesMax()
  if (allowed < needed) {
    results.note(
      `${plan.waiters} waits need a limit of ${needed} open files; it is ${allowed} (see ulimit -n): skipped.`,
    )
    return
  }
  console.log(`waiters, ${plan.waiters} held waits`)
  const product = await startProduct(folder)
  const { smtpPort, apiPort, pid } = product
  const result = await generator.run('measureWaiters', {
    smtpPort,
    apiPort,
    pid,
    apiKey: API_KEY,
    waiters: plan.waiters,
  })
  await product.stop()
  const figures: [scenario: string, value: number, unit: string][] = [
    [WOKEN, result.woken, `of ${plan.waiters}`],
    ['from the 250 to the answer, p50', percentile(result.latenciesMs, 50), 'ms'],
    ['from the 250 to the answer, p99', percentile(result.latenciesMs, 99), 'ms'],
    ['opening all', result.openMs, 'ms'],
    ['sending all mails over 8 connections', result.mailsMs, 'ms'],
    [HOLDING, result.holdingMegabytes, 'MB'],
    ['memory afterwards', result.afterwardsMegabytes, 'MB'],
  ]
  for (const [scenario, value, unit] of figures) {
    results.add({ measure: 'waiters', scenario, subject: MAILHATCH, unit }, value)
  }
}

/** Node raises its soft limit to the hard limit, as do the processes it starts. */
function openFilesMax(): number {
  const [, soft] = /Max open files\s+(\S+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
}
