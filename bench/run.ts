import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import { readGivenOptions } from './given-options.ts'
import { describeMachine, watchOtherWork } from './machine.ts'
import { measureIntake } from './measures/intake.ts'
import { measureLatency } from './measures/latency.ts'
import { measureLatest } from './measures/latest.ts'
import { measureMemory } from './measures/memory.ts'
import { measurePurge } from './measures/purge.ts'
import { measureSmtp } from './measures/smtp.ts'
import { measureWaiters } from './measures/waiters.ts'
import { HELP, MEASURES, readOptions, type Measure, type Options } from './options.ts'
import { report } from './benchmark-report.ts'
import { sourceChangedAt } from './product.ts'
import { removeFolder, stopPrograms } from './programs.ts'
import { firstLine, Results } from './results.ts'
import { TaskProcess } from './tasks/task-process.ts'

const RUN: Record<Measure, (bench: Bench) => Promise<void>> = {
  smtp: measureSmtp,
  intake: measureIntake,
  latest: measureLatest,
  latency: measureLatency,
  waiters: measureWaiters,
  memory: measureMemory,
  purge: measurePurge,
}

const options = readGivenOptions(readOptions, HELP)
if (options) await run(options)
else console.log(HELP)

async function run(options: Options): Promise<void> {
  const results = new Results()
  const otherWork = watchOtherWork()
  const beganAt = Date.now()
  const startedAt = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-bench-'))
  process.on('exit', () => removeFolder(folder))
  for (const measure of MEASURES) {
    if (options.measures.includes(measure)) await runOne(measure, { ...options, folder, results })
  }
  if (sourceChangedAt() > beganAt) {
    results.note('The source was edited during the benchmark: the figures are not all from one version.')
  }
  otherWork().forEach((note) => results.note(note))
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`\n${report({ options, machine: describeMachine(), results, seconds })}`)
}

/** A failed measure does not affect the others. */
async function runOne(measure: Measure, bench: Omit<Bench, 'generator'>): Promise<void> {
  try {
    await RUN[measure]({ ...bench, generator: new TaskProcess('load generator') })
  } catch (error) {
    console.error(error)
    bench.results.note(`${measure} failed: ${firstLine(error)}`)
    process.exitCode = 1
  } finally {
    await stopPrograms()
  }
}
