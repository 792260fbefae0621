import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../packages/server/test/support/postgres-server.ts'
import { administer } from './administer.ts'
import { readGivenOptions } from '../given-options.ts'
import { describeMachine, watchOtherWork } from '../machine.ts'
import { sourceChangedAt } from '../product.ts'
import { removeFolder, stopPrograms } from '../programs.ts'
import { formatFigure } from '../results.ts'
import { writeReport } from '../stored-reports.ts'
import { startFleet } from './fleet.ts'
import { measureFleet, measureWakesOf } from './measure.ts'
import { HELP, isWhole, readOptions, type Options } from './options.ts'
import { renderReport, type Measured } from './report.ts'

const WARM_UP_MS = 1_000
const WARM_UP_WAKES = 50
const REPLICAS = [1, 2, 3]

const options = readGivenOptions(readOptions, HELP)
if (options) await run(options)
else console.log(HELP)

async function run(options: Options): Promise<void> {
  const beganAt = Date.now()
  const startedAt = performance.now()
  const otherWork = watchOtherWork()
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-replicas-'))
  process.on('exit', () => removeFolder(folder))
  const postgres = await startPostgres({ autovacuum: 'on' })
  const measured: Measured[] = [
    { name: 'SQLite', figures: [], wakes: [] },
    ...REPLICAS.map((count) => ({
      name: `PostgreSQL, ${count} replica${count > 1 ? 's' : ''}`,
      figures: [],
      wakes: [],
    })),
  ]
  try {
    // Interleaved, so that disturbances affect all subjects alike.
    for (let round = 1; round <= options.rounds; round++) {
      for (const [count, subject] of measured.entries()) {
        const name = `round_${round}_with_${count}`
        if (count > 0) await administer(postgres.url(), `create database ${name}`)
        await measure(
          subject,
          { folder, count: Math.max(1, count), databaseUrl: count === 0 ? null : postgres.url(name) },
          options,
        )
        if (count > 0) await administer(postgres.url(), `drop database ${name}`)
      }
    }
  } finally {
    await stopPrograms()
    await postgres.remove()
  }
  const notes = otherWork()
  if (sourceChangedAt() > beganAt) notes.push('The source was edited during the benchmark.')
  const seconds = (performance.now() - startedAt) / 1000
  const report = { machine: describeMachine(), measured, options, seconds, notes }
  const text = renderReport(report)
  if (isWhole(options)) {
    writeFileSync(new URL('report.md', import.meta.url), text)
    writeReport('replicas', report)
  }
  console.log(`\n${text}`)
}

type Start = { folder: string; count: number; databaseUrl: string | null }

async function measure(
  { name, figures, wakes }: Measured,
  { folder, ...start }: Start,
  options: Options,
): Promise<void> {
  const fleet = await startFleet(folder, start)
  // Before any load, because indexing continues in the background afterwards.
  await measureWakesOf(fleet, WARM_UP_WAKES)
  const wake = await measureWakesOf(fleet, options.wakes)
  await measureFleet(fleet, WARM_UP_MS)
  const figure = await measureFleet(fleet, options.sampleMs)
  figures.push(figure)
  wakes.push(wake)
  await fleet.stop()
  console.log(
    `${name}: intake ${formatFigure(figure.intakeOneTeam)}/s for one team, ${formatFigure(figure.intakeTeams)}/s for several, ` +
      `latest ${formatFigure(figure.latest)}/s, woken in ${formatFigure(wake.p50)} ms (p99 ${formatFigure(wake.p99)})`,
  )
}
