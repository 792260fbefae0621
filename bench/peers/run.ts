import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readGivenOptions } from '../given-options.ts'
import { describeMachine, watchOtherWork } from '../machine.ts'
import { build, sourceChangedAt } from '../product.ts'
import { removeFolder, stopPrograms } from '../programs.ts'
import { firstLine, formatFigure } from '../results.ts'
import { writeReport } from '../stored-reports.ts'
import { measureFirst, measureFresh, measureLatest, measureWarm, type Measuring } from './measures.ts'
import { HELP, readOptions, type Measure, type Options } from './options.ts'
import { mailDev, mailhatch } from './installed-peers.ts'
import type { Peer } from './peer.ts'
import { renderComparison, type Comparison, type Figure } from './report.ts'

/** `isOnce`: in the first round only, because it takes long and its many requests even out what disturbs it. */
const RUN: Record<Measure, { work: (measuring: Measuring) => Promise<void>; isOnce?: true }> = {
  fresh: { work: measureFresh },
  first: { work: measureFirst },
  warm: { work: measureWarm },
  latest: { work: measureLatest, isOnce: true },
}

const options = readGivenOptions(readOptions, HELP)
if (options) await run(options)
else console.log(HELP)

async function run({ plan, measures, peers: given, isWhole }: Options): Promise<void> {
  const otherWork = watchOtherWork()
  const notes: string[] = []
  build()
  const beganAt = Date.now()
  const startedAt = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-peers-'))
  process.on('exit', () => removeFolder(folder))
  const peers = [mailhatch, ...given, await mailDev()]
  const figures: Figure[] = []
  const failed = new Set<string>()

  async function measureOne(measure: Measure, peer: Peer, round: number): Promise<void> {
    // A program that fails once would fail again, and its figures could not be compared.
    const attempt = `${peer.name}, ${measure}`
    if (failed.has(attempt)) return
    console.log(`${measure}, round ${round} of ${plan.rounds}: ${peer.name}`)
    const own = mkdtempSync(join(folder, 'round-'))
    try {
      const onFigure: Measuring['onFigure'] = (scenario, unit, value, stored) => {
        const of = stored === undefined ? '' : ` (${stored} stored)`
        console.log(`  ${scenario}${of}: ${formatFigure(value)} ${unit}`)
        figures.push({ measure, scenario, ...(stored !== undefined && { stored }), unit, program: peer.name, value })
      }
      await RUN[measure].work({ peer, folder: own, plan, onFigure })
    } catch (error) {
      console.error(error)
      failed.add(attempt)
      notes.push(`${attempt} failed: ${firstLine(error)}`)
    } finally {
      await stopPrograms()
      removeFolder(own)
    }
  }

  for (let round = 1; round <= plan.rounds; round++) {
    for (const measure of measures) {
      if (RUN[measure].isOnce && round > 1) continue
      // The first is not always measured on the warmer machine.
      for (const peer of round % 2 === 0 ? peers.toReversed() : peers) await measureOne(measure, peer, round)
    }
  }
  if (sourceChangedAt() > beganAt) notes.push('The source was edited during the benchmark.')
  const seconds = (performance.now() - startedAt) / 1_000
  const comparison: Comparison = {
    machine: describeMachine(),
    plan,
    figures,
    seconds,
    notes: [...otherWork(), ...notes],
  }
  if (isWhole) writeReport('comparison', comparison)
  console.log(`\n${renderComparison(comparison)}`)
}
