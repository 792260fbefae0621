import { existsSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { BUILT_PROGRAM, SOURCE_PROGRAM, sourceChangedAt, startProduct } from '../product.ts'
import { residentMegabytes } from '../programs.ts'
import { MAILHATCH } from '../results.ts'

export const COLD_START = 'from the start of the process to its first answer'
export const IDLE_MEMORY = 'memory when idle'
export const BUILT = `${MAILHATCH}, built`

/** Startup time, and memory when idle. */
export async function measureMemory({ folder, plan, results }: Bench): Promise<void> {
  const programs = [{ subject: MAILHATCH, file: SOURCE_PROGRAM }]
  if (existsSync(BUILT_PROGRAM)) programs.push({ subject: BUILT, file: BUILT_PROGRAM })
  else results.note('There is no built program: start and memory were measured with the source.')
  if (programs.length > 1 && statSync(BUILT_PROGRAM).mtimeMs < sourceChangedAt()) {
    results.note('The built program is older than the source.')
  }
  for (let start = 1; start <= plan.starts; start++) {
    console.log(`start, ${start} of ${plan.starts}`)
    for (const { subject, file } of programs) {
      const product = await startProduct(folder, { file })
      results.add({ measure: 'memory', scenario: COLD_START, subject, unit: 'ms' }, product.startMs)
      if (start === plan.starts) {
        await sleep(plan.idleMs)
        results.add({ measure: 'memory', scenario: IDLE_MEMORY, subject, unit: 'MB' }, residentMegabytes(product.pid))
      }
      await product.stop()
    }
  }
}
